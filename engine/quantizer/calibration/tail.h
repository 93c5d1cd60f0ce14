// SPDX-License-Identifier: Apache-2.0
// The outermost elements of a value, kept while samples stream by, for order statistics near an end: no second look at
// the samples is needed as long as what is asked for was kept.
//
// An element's key is x (kLargest), -x (kSmallest) or |x| (kMagnitude); the greatest keys are kept. NaN and infinity
// are passed over. What at() gives is exact: it does not depend on the order of the samples or on how they were shared
// out, only whether it gives anything does.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/quantizer/calibration/scan.h"

namespace assay::quantizer {

enum class TailSide { kLargest, kSmallest, kMagnitude };

class Tail {
 public:
  explicit Tail(TailSide side) : side_(side) {}

  // `blocks`: extremes of each kScanBlock elements of `values`. At least the `capacity` greatest keys of all elements
  // so far stay (a capacity never shrinks), and at most twice as many.
  void add(std::span<const float> values, std::span<const BlockExtremes> blocks, Index capacity);
  void merge(const Tail& other);
  // Before at(), after the last add() and merge().
  void sort();
  // The key with `rank` greater ones (of equal keys some are greater), or nothing if it was not kept.
  std::optional<float> at(Index rank) const;

 private:
  void trim();

  TailSide side_;
  std::size_t capacity_ = 0;
  std::vector<float> keys_;
  // Every key that was not kept is at most this.
  float limit_ = -std::numeric_limits<float>::infinity();
};

}  // namespace assay::quantizer
