// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/entropy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace assay::quantizer {
namespace {

constexpr double kMissingShare = 1e-4;

// ln of a positive normal number, off by less than kLogError: the tangent at the middle of one of 1024 pieces of the
// mantissa, (1 / 2048)^2 / 2 from the curve at most.
constexpr double kLogError = 1.5e-7;

class QuickLog {
 public:
  QuickLog() {
    for (std::size_t piece = 0; piece < kPieces; ++piece) {
      const double middle = 1 + (static_cast<double>(piece) + 0.5) / static_cast<double>(kPieces);
      tangents_[piece] = {.value = std::log(middle) - 1, .slope = 1 / middle};
    }
  }
  double operator()(double x) const {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const Tangent& tangent = tangents_[(bits >> (52U - kPieceBits)) % kPieces];
    const auto mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
    const auto exponent = static_cast<double>(static_cast<std::int32_t>(bits >> 52U) - 1023);
    return exponent * std::numbers::ln2 + tangent.value + mantissa * tangent.slope;
  }

 private:
  static constexpr unsigned kPieceBits = 10;
  static constexpr std::size_t kPieces = std::size_t{1} << kPieceBits;
  struct Tangent {
    double value = 0;
    double slope = 0;
  };
  std::array<Tangent, kPieces> tangents_{};
};

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
    return compute(bins, std::numeric_limits<double>::infinity(), [](double x) { return std::log(x); });
  }
  // The same, off by less than kLogError; or infinity where it is sure to lie above `limit`.
  double estimate(std::size_t bins, double limit) const {
    static const QuickLog kLog;
    return compute(bins, limit, kLog);
  }

 private:
  // A level's part of the sum, P ln P - P ln Q but for T, is never negative (the log-sum inequality), so that the sum
  // over some levels is a bound. Small values are the most frequent: the first levels say most.
  template <typename Log>
  double compute(std::size_t bins, double limit, const Log& log) const {
    const double total = sum_.back();
    double sum = last_level(bins, log) - total * std::log(total);
    const double most = limit * total;
    for (std::size_t level = 0; level + 1 < kLevels; ++level) {
      if (level % kLevelsBetweenLooks == 0 && sum > most) {
        return std::numeric_limits<double>::infinity();
      }
      const std::size_t begin = level * bins / kLevels;
      const std::size_t end = (level + 1) * bins / kLevels;
      const double group = sum_[end] - sum_[begin];
      if (group > 0) {
        sum += sum_log_[end] - sum_log_[begin] - group * log(group / (filled_[end] - filled_[begin]));
      }
    }
    return sum / total;
  }

  // The part of the last level, which has what lies beyond the clip too, and the term with T.
  template <typename Log>
  double last_level(std::size_t bins, const Log& log) const {
    const double kept = sum_[bins];
    const double beyond = sum_.back() - kept;
    const double last = counts_[bins - 1];
    const std::size_t begin = (kLevels - 1) * bins / kLevels;
    const double group = kept - sum_[begin];
    const double mass = group + beyond;
    double sum =
        sum_log_[bins - 1] - sum_log_[begin] + (last + beyond > 0 ? (last + beyond) * std::log(last + beyond) : 0);
    if (group > 0) {
      const double filled = filled_[bins] - filled_[begin] + (last == 0 && beyond > 0 ? 1 : 0);
      return sum - mass * log(group / filled) + sum_.back() * std::log(kept);
    }
    sum -= mass > 0 ? mass * log(kMissingShare) : 0;
    return sum + (kept > 0 ? kept * std::log(kept) : 0);
  }

  static constexpr std::size_t kLevelsBetweenLooks = 4;
  static constexpr auto kLevels = static_cast<std::size_t>(kEntropyLevels);
  const std::vector<double>& counts_;
  std::vector<double> sum_;
  std::vector<double> sum_log_;
  std::vector<double> filled_;
};

// The number of bins with the least divergence, of equal ones the largest. Only where an estimate comes near the least
// estimate can the divergence be the least.
std::size_t least_divergence(const Divergence& divergence, std::size_t all_bins) {
  constexpr auto kFewest = static_cast<std::size_t>(kEntropyLevels);
  constexpr std::size_t kFirstLook = 64;
  // Beside the logarithms' error there is that of sums in double.
  constexpr double kSlack = 4 * kLogError + 1e-9;
  double lowest = std::numeric_limits<double>::infinity();
  std::vector<double> estimates(all_bins + 1, std::numeric_limits<double>::infinity());
  const auto look = [&](std::size_t bins) {
    estimates[bins] = divergence.estimate(bins, lowest + kSlack);
    lowest = std::min(lowest, estimates[bins]);
  };
  for (std::size_t bins = kFewest; bins <= all_bins; bins += kFirstLook) {
    look(bins);  // a low limit for all others
  }
  for (std::size_t bins = kFewest; bins <= all_bins; ++bins) {
    if (bins % kFirstLook != 0) {
      look(bins);
    }
  }
  const double limit = lowest + kSlack;
  std::size_t best = all_bins;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t bins = all_bins; bins >= kFewest; --bins) {
    if (estimates[bins] <= limit) {
      if (const double found = divergence(bins); found < least) {
        least = found;
        best = bins;
      }
    }
  }
  return best;
}

}  // namespace

ValueRange entropy_range(const Histogram& histogram, bool symmetric) {
  std::vector<double> counts(histogram.counts.begin(), histogram.counts.end());
  counts[0] = counts[1];
  const bool empty = std::all_of(counts.begin(), counts.end(), [](double count) { return count == 0; });
  std::size_t best = counts.size();
  if (!empty) {
    best = least_divergence(Divergence(counts), counts.size());
  }
  const auto clip = static_cast<double>(histogram.edges[best]);
  if (symmetric) {
    return {.min = -clip, .max = clip};
  }
  return {.min = std::max(-clip, static_cast<double>(histogram.min)),
          .max = std::min(clip, static_cast<double>(histogram.max))};
}

}  // namespace assay::quantizer
