// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/percentile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace assay::quantizer {
namespace {

// Shares of the elements at which the range ends.
double upper_share(double percentile, bool symmetric) {
  return symmetric ? percentile / 100.0 : 1.0 - (100.0 - percentile) / 200.0;
}
double lower_share(double percentile) { return (100.0 - percentile) / 200.0; }

class EdgeAt {
 public:
  explicit EdgeAt(const Histogram& histogram) : edges_(histogram.edges) {
    const auto total =
        static_cast<double>(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{0}));
    double sum = 0;
    cdf_.reserve(histogram.counts.size());
    for (const std::uint64_t count : histogram.counts) {
      sum += static_cast<double>(count) / total;
      cdf_.push_back(sum);
    }
  }
  double operator()(double share) const {
    const auto first = std::lower_bound(cdf_.begin(), cdf_.end(), share);
    return static_cast<double>(edges_[static_cast<std::size_t>(first - cdf_.begin())]);
  }

 private:
  const std::vector<float>& edges_;
  std::vector<double> cdf_;
};

// The ranks, from 1, of elements whose bins the sum of shares may take for first(share).
struct Ranks {
  double least = 0;
  double most = 0;
};

Ranks ranks_of(double share, double count, std::size_t bins) {
  // Each share is rounded once, each sum once, and twice that for the products here.
  const double error = static_cast<double>(bins + 8) * 2 * std::numeric_limits<double>::epsilon();
  return {.least = std::ceil((share - error) * count), .most = std::ceil((share + error) * count)};
}

// The bin of a value by even edges.
std::size_t bin_of(float value, std::span<const float> edges) {
  const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
  return static_cast<std::size_t>(above - edges.begin()) - 1;
}

// edges[first(share)]; element(rank) is the element with this rank, if it is known.
template <typename Element>
std::optional<double> edge_at(double share, double count, std::span<const float> edges, const Element& element) {
  const std::size_t bins = edges.size() - 1;
  const auto place = [&](double rank) -> std::optional<std::size_t> {
    if (rank < 1) {
      return 0;
    }
    if (rank > count) {
      return bins;
    }
    const std::optional<float> value = element(rank);
    return value ? std::optional(bin_of(*value, edges)) : std::nullopt;
  };
  const Ranks ranks = ranks_of(share, count, bins);
  const std::optional<std::size_t> least = place(ranks.least);
  if (!least || (ranks.most != ranks.least && place(ranks.most) != least)) {
    return std::nullopt;
  }
  return static_cast<double>(edges[*least]);
}

// Cut to what was observed.
ValueRange cut(ValueRange range, float min, float max) {
  range.min = std::max(range.min, static_cast<double>(min));
  range.max = std::min(range.max, static_cast<double>(max));
  if (range.min > range.max) {
    return {.min = static_cast<double>(min), .max = static_cast<double>(max)};
  }
  return range;
}

}  // namespace

ValueRange percentile_range(const Histogram& histogram, double percentile, bool symmetric) {
  const EdgeAt edge_at(histogram);
  ValueRange range;
  range.max = edge_at(upper_share(percentile, symmetric));
  range.min = symmetric ? -range.max : edge_at(lower_share(percentile));
  return cut(range, histogram.min, histogram.max);
}

std::optional<ValueRange> percentile_range(const PercentileTails& tails, std::span<const float> edges,
                                           double percentile, bool symmetric) {
  const auto count = static_cast<double>(tails.count);
  const std::optional<double> upper = edge_at(upper_share(percentile, symmetric), count, edges, [&](double rank) {
    return tails.largest->at(static_cast<Index>(count - rank));
  });
  if (!upper) {
    return std::nullopt;
  }
  if (symmetric) {
    return cut({.min = -*upper, .max = *upper}, tails.min, tails.max);
  }
  const std::optional<double> lower =
      edge_at(lower_share(percentile), count, edges, [&](double rank) -> std::optional<float> {
        const std::optional<float> key = tails.smallest->at(static_cast<Index>(rank) - 1);
        return key ? std::optional(-*key) : std::nullopt;
      });
  if (!lower) {
    return std::nullopt;
  }
  return cut({.min = *lower, .max = *upper}, tails.min, tails.max);
}

Index percentile_tail_capacity(double percentile, bool symmetric, Index elements) {
  constexpr double kSamples = 1000;
  constexpr double kLeast = 64;
  constexpr double kMostShare = 0.25;
  const double share = 1.0 - upper_share(percentile, symmetric);
  const double wanted = std::min(share * kSamples, kMostShare) * static_cast<double>(elements);
  return static_cast<Index>(std::ceil(std::max(wanted, kLeast)));
}

}  // namespace assay::quantizer
