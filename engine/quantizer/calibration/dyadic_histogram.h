// SPDX-License-Identifier: Apache-2.0
// A histogram that needs one pass: its range is the next power of two, and doubles by merging neighbouring bins.
//
// n bins, n the next power of two from the number asked for (at least 4); 2^k is the least power of two above every
// |x| seen, and not below 2^-100. Magnitudes: bin b has [b w, (b + 1) w), w = 2^k / n. Signed: bin b has
// [-2^k + b w, -2^k + (b + 1) w), w = 2^(k + 1) / n. Edges and the bin of a value are exact in float32, and the counts
// depend on the values alone: not on their order, nor on how they were shared out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/quantizer/calibration/histogram.h"
#include "engine/quantizer/calibration/scan.h"

namespace assay::quantizer {

class DyadicHistogram {
 public:
  DyadicHistogram(bool is_signed, Index bins);

  // `extremes` are those of `values`. NaN and infinity are passed over.
  void add(std::span<const float> values, const Scan& extremes);
  void merge(const DyadicHistogram& other);
  // Of values whose extremes are these.
  Histogram finish(const Scan& extremes) const;

 private:
  void count(std::span<const float> values);
  std::vector<std::uint64_t> counts() const;
  void settle();
  void grow(int exponent);
  float width() const;
  std::size_t zero_bin() const { return is_signed_ ? counts_.size() / 2 : 0; }

  bool is_signed_;
  int exponent_;  // k
  std::vector<std::uint64_t> counts_;
  // What came since counts_ was brought up to date: several counters a bin, more for the bin of 0
  // (dyadic_histogram.cpp).
  std::vector<std::uint32_t> recent_;
  std::uint64_t recent_elements_ = 0;
};

}  // namespace assay::quantizer
