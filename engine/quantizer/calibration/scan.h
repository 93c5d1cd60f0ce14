// SPDX-License-Identifier: Apache-2.0
// One look at the elements of a tensor: extremes, and the first element that is not finite.
//
// NaN and infinity enter neither extremes nor moments. The order of the additions of Moments is fixed, so that the same
// elements give the same bits.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "engine/base/dtype.h"

namespace assay::quantizer {

struct Scan {
  float min = std::numeric_limits<float>::infinity();  // of the finite elements; above max if there are none
  float max = -std::numeric_limits<float>::infinity();
  float least_magnitude = std::numeric_limits<float>::infinity();  // min |x|
  Index first_not_finite = -1;                                     // -1: all are finite

  bool has_values() const { return min <= max; }
  // Widens by what another look found; the first fault is the caller's affair.
  void merge(const Scan& other);
};

// Elements that are scanned together.
inline constexpr std::size_t kScanBlock = 512;

// Of the elements of a block but NaN, so of infinities too; min above max if it has no others.
struct BlockExtremes {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
};

// `blocks`, if not null, becomes the extremes of each kScanBlock elements, the last of what is left. A zero that is an
// extreme is +0.
Scan scan(std::span<const float> values, std::vector<BlockExtremes>* blocks = nullptr);

// Count, mean and sum of squared deviations from the mean, merged by Chan's formula:
//   d = mean_b - mean_a, n = n_a + n_b: mean = mean_a + d n_b / n, m2 = m2_a + m2_b + d^2 n_a n_b / n.
struct Moments {
  double count = 0;
  double mean = 0;
  double m2 = 0;

  void merge(const Moments& other);
};

Moments moments(std::span<const float> values);

}  // namespace assay::quantizer
