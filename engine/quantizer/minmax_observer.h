// SPDX-License-Identifier: Apache-2.0
// Minimum and maximum of every float32 value over the calibration samples, streamed: no sample is kept.
#pragma once

#include <string>

#include "engine/ir/tensor.h"
#include "engine/quantizer/range_table.h"

namespace assay::quantizer {

class MinMaxObserver {
 public:
  // Called before the values of each sample. Samples count from 0.
  void begin_sample() { ++sample_; }
  // Takes one value of the current sample; types other than float32 are passed over. NaN and infinity do not enter the
  // range; the first of them per value is remembered as its fault, so that only values that are needed cause errors.
  void observe(const std::string& value, const Tensor& tensor);

  const RangeTable& table() const { return table_; }
  Index samples() const { return sample_ + 1; }

 private:
  RangeTable table_;
  Index sample_ = -1;
};

}  // namespace assay::quantizer
