// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/entropy.h"

#include <algorithm>
#include <cmath>

namespace assay::quantizer {
namespace {

constexpr double kMissingShare = 1e-4;

// Sums of the first i bins, so that a candidate costs as many steps as there are levels.
class Divergence {
 public:
  explicit Divergence(const std::vector<double>& counts) : counts_(counts) {
    double count = 0;
    double count_log = 0;
    double filled = 0;
    for (const double h : counts) {
      sum_.push_back(count);
      sum_log_.push_back(count_log);
      filled_.push_back(filled);
      count += h;
      count_log += h > 0 ? h * std::log(h) : 0;
      filled += h > 0 ? 1 : 0;
    }
    sum_.push_back(count);
    sum_log_.push_back(count_log);
    filled_.push_back(filled);
  }

  // KL of the clip after `bins` bins. With S = sum P and T = sum Q:
  //   S KL = sum P ln P - sum P ln Q - S ln S + (sum of P where Q != 0) ln T.
  double operator()(std::size_t bins) const {
    const double total = sum_.back();
    const double kept = sum_[bins];
    const double last = counts_[bins - 1];
    const double beyond = total - kept;
    double sum = sum_log_[bins - 1] + (last + beyond > 0 ? (last + beyond) * std::log(last + beyond) : 0);
    for (std::size_t level = 0; level < kLevels; ++level) {
      const std::size_t begin = level * bins / kLevels;
      const std::size_t end = (level + 1) * bins / kLevels;
      const bool is_last = level + 1 == kLevels;
      const double group = sum_[end] - sum_[begin];
      const double mass = group + (is_last ? beyond : 0);
      if (mass == 0) {
        continue;
      }
      const double filled = filled_[end] - filled_[begin] + (is_last && last == 0 && beyond > 0 ? 1 : 0);
      const double q = group > 0 ? group / filled / kept : kMissingShare;
      sum -= mass * std::log(q);
    }
    return sum / total - std::log(total);
  }

 private:
  static constexpr auto kLevels = static_cast<std::size_t>(kEntropyLevels);
  const std::vector<double>& counts_;
  std::vector<double> sum_;
  std::vector<double> sum_log_;
  std::vector<double> filled_;
};

}  // namespace

ValueRange entropy_range(const Histogram& histogram, bool symmetric) {
  std::vector<double> counts(histogram.counts.begin(), histogram.counts.end());
  counts[0] = counts[1];
  const bool empty = std::all_of(counts.begin(), counts.end(), [](double count) { return count == 0; });
  std::size_t best = counts.size();
  if (!empty) {
    const Divergence divergence(counts);
    double least = divergence(best);
    for (std::size_t bins = counts.size() - 1; bins >= static_cast<std::size_t>(kEntropyLevels); --bins) {
      const double found = divergence(bins);
      if (found < least) {
        least = found;
        best = bins;
      }
    }
  }
  const auto clip = static_cast<double>(histogram.edges[best]);
  if (symmetric) {
    return {.min = -clip, .max = clip};
  }
  return {.min = std::max(-clip, static_cast<double>(histogram.min)),
          .max = std::min(clip, static_cast<double>(histogram.max))};
}

}  // namespace assay::quantizer
