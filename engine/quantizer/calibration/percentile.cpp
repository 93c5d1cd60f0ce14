// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/percentile.h"

#include <algorithm>
#include <numeric>

namespace assay::quantizer {
namespace {

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

}  // namespace

ValueRange percentile_range(const Histogram& histogram, double percentile, bool symmetric) {
  const EdgeAt edge_at(histogram);
  ValueRange range;
  if (symmetric) {
    range.max = edge_at(percentile / 100.0);
    range.min = -range.max;
  } else {
    const double cut = (100.0 - percentile) / 200.0;
    range.max = edge_at(1.0 - cut);
    range.min = edge_at(cut);
  }
  range.min = std::max(range.min, static_cast<double>(histogram.min));
  range.max = std::min(range.max, static_cast<double>(histogram.max));
  if (range.min > range.max) {
    return {.min = static_cast<double>(histogram.min), .max = static_cast<double>(histogram.max)};
  }
  return range;
}

}  // namespace assay::quantizer
