// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/mse.h"

#include <algorithm>
#include <cmath>

#include "engine/base/rounding.h"

namespace assay::quantizer {
namespace {

constexpr int kCandidates = 128;
constexpr int kRounds = 2;

class MseSearch {
 public:
  MseSearch(const Histogram& histogram, const RangeScheme& scheme)
      : scheme_(scheme),
        min_(std::min(static_cast<double>(histogram.min), 0.0)),
        max_(std::max(static_cast<double>(histogram.max), 0.0)),
        bin_width_(static_cast<double>(histogram.edges[1]) - static_cast<double>(histogram.edges[0])) {
    for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
      if (histogram.counts[bin] > 0) {
        const double middle =
            (static_cast<double>(histogram.edges[bin]) + static_cast<double>(histogram.edges[bin + 1])) / 2;
        middles_.push_back(std::clamp(middle, min_, max_));
        counts_.push_back(static_cast<double>(histogram.counts[bin]));
      }
    }
  }

  ValueRange run() {
    if (scheme_.symmetric) {
      const double m = std::max(-min_, max_);
      search([&](double share) { return ValueRange{.min = -m * share, .max = m * share}; });
      return best_;
    }
    search([&](double share) { return ValueRange{.min = min_ * share, .max = max_ * share}; });
    for (int round = 0; round < kRounds; ++round) {
      const double lower = best_.min;
      search([&](double share) { return ValueRange{.min = lower, .max = max_ * share}; });
      const double upper = best_.max;
      search([&](double share) { return ValueRange{.min = min_ * share, .max = upper}; });
    }
    return best_;
  }

 private:
  // From the widest down, so that of equal ones the widest stays.
  template <typename Candidate>
  void search(const Candidate& candidate) {
    for (int k = kCandidates; k >= 1; --k) {
      const ValueRange range = candidate(static_cast<double>(k) / kCandidates);
      const double error = error_of(range);
      if (!has_best_ || error < least_) {
        has_best_ = true;
        least_ = error;
        best_ = range;
      }
    }
  }

  double error_of(const ValueRange& range) const {
    const QuantParams params = choose_params(range.min, range.max, scheme_);
    const IntegerRange bounds = integer_bounds(scheme_);
    const auto step = static_cast<double>(params.scale);
    const double low = step * static_cast<double>(bounds.min - params.zero_point);
    const double high = step * static_cast<double>(bounds.max - params.zero_point);
    const double steps_per_unit = 1 / step;
    const double inside = step < bin_width_ ? step * step / 12 : 0;
    double sum = 0;
    for (std::size_t i = 0; i < middles_.size(); ++i) {
      const double kept = std::clamp(middles_[i], low, high);
      const double fine = inside > 0 ? kept : step * round_half_even(kept * steps_per_unit);
      const double error = middles_[i] - fine;
      sum += counts_[i] * (error * error + inside);
    }
    return sum;
  }

  RangeScheme scheme_;
  double min_;
  double max_;
  double bin_width_;
  std::vector<double> middles_;
  std::vector<double> counts_;
  ValueRange best_;
  double least_ = 0;
  bool has_best_ = false;
};

}  // namespace

ValueRange mse_range(const Histogram& histogram, const RangeScheme& scheme) {
  return MseSearch(histogram, scheme).run();
}

}  // namespace assay::quantizer
