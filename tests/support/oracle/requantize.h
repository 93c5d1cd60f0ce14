// SPDX-License-Identifier: Apache-2.0
// Rounding steps between integers and floats, one value at a time, each step in float32.
#pragma once

#include "tests/support/oracle/integers.h"

namespace assay::oracle {

// f32(f32(x_scale * w_scale) / y_scale)
float output_scale(float x_scale, float w_scale, float y_scale);

struct OutputType {
  std::int32_t zero_point = 0;
  std::int32_t min = 0;
  std::int32_t max = 255;
};

// clamp(rint(f32(f32(acc) * scale)) + zero_point, min, max); NaN gives min.
std::int32_t requantize(std::int32_t acc, float scale, const OutputType& y);

// clamp(rint(f32(x / scale)) + zero_point, min, max); NaN gives min.
std::int32_t quantize(float x, float scale, const OutputType& y);

// f32(f32(int32(q - zero_point)) * scale), the difference wrapping.
float dequantize(std::int32_t q, float scale, std::int32_t zero_point);

}  // namespace assay::oracle
