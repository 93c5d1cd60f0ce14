// SPDX-License-Identifier: Apache-2.0
// From a real range [min, max] to scale and zero point, and the quantization of single values.
//
// The range is widened to contain 0, then to `minimum_range` by raising max; symmetric ranges become [-m, m], m the
// larger magnitude. In double:
//   scale      = (max - min) / (qmax - qmin), stored as float32 (float16 for tensors of that type)
//   zero point = rint((qmin + qmax) / 2) if symmetric, else rint(qmin - min / scale) with the scale still in double
// rint rounds half to even. [qmin, qmax] is what RangeScheme says (integer_bounds).
// A range whose scale is below the smallest normal float32 (constant 0) gets scale 1 and the zero point that the
// formula gives for min = 0. The peer stores a raw 0 there, which for asymmetric int8 is not the end of the range, so
// that a Relu in front could no longer be folded.
// Restricted asymmetric (unsigned types, not symmetric): zero point qmin and scale max / (qmax - qmin) where min = 0,
// else zero point mid = (qmin + qmax + 1) / 2 and scale max(-min / (mid - qmin), max / (qmax - mid)).
#pragma once

#include "engine/base/dtype.h"
#include "engine/quantizer/options.h"

namespace assay::quantizer {

struct QuantParams {
  DType dtype = DType::kUint8;
  float scale = 1.0F;
  Index zero_point = 0;
  DType scale_type = DType::kFloat32;  // or float16, whose values `scale` then holds
  bool operator==(const QuantParams&) const = default;
};

struct RangeScheme {
  DType dtype = DType::kUint8;  // a 4-, 8- or 16-bit integer type
  bool symmetric = false;
  RangeKind range = RangeKind::kFull;
  bool reduce_range = false;  // before `range`: int8 [-64,64], uint8 [0,127]
  bool restricted = false;
  double minimum_range = 0;
  DType scale_type = DType::kFloat32;
};

// [qmin, qmax] onto which the real range is mapped: uint8 [0,255], int8 [-128,127] (full) or [-127,127] (narrow);
// reduced: int8 [-64,64], uint8 [0,127], int16 [-16384,16384], uint16 [0,32767], int4 [-4,3], uint4 [0,7].
IntegerRange integer_bounds(const RangeScheme& scheme);

// min <= max, both finite. A width beyond the scale type's range gives its largest finite scale.
QuantParams choose_params(double min, double max, const RangeScheme& scheme);

// QuantizeLinear of one value: rint(f32(value / scale)) + zero point, saturated to the whole range of the type (not to
// qmin..qmax). Infinities go to the type's ends.
Index quantize_value(float value, const QuantParams& params);
// (q - zero point) * scale in float32.
float dequantize_value(Index q, const QuantParams& params);

}  // namespace assay::quantizer
