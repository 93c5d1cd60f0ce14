// SPDX-License-Identifier: Apache-2.0
// Constant tensors as integers, per tensor or per channel.
//
//   q = rint(f32(x / scale)) + zero point, saturated to the type, with the scale and zero point of x's channel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/tensor.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/overrides.h"
#include "engine/quantizer/range_arithmetic.h"

namespace assay::quantizer {

// One set of parameters, or one per index along an axis.
struct ChannelParams {
  DType dtype = DType::kInt8;
  Index axis = -1;                 // -1: per tensor
  std::vector<float> scales;       // one, or as many as the axis is long
  std::vector<Index> zero_points;  // as many
  bool operator==(const ChannelParams&) const = default;

  QuantParams channel(std::size_t i) const {
    return {.dtype = dtype, .scale = scales[i], .zero_point = zero_points[i]};
  }
  std::size_t count() const { return scales.size(); }
};

struct ChannelRange {
  ValueRange range;
  bool all_zero = true;
};

// The range of each channel along `axis`, or of the whole tensor where axis is -1. float32, finite.
std::vector<ChannelRange> channel_ranges(const Tensor& tensor, Index axis);

struct WeightArgs {
  std::string name;
  const Tensor& tensor;     // float32, finite
  Index channel_axis = -1;  // of the output channels; -1 where there is none
  const Options& options;
  const TensorOverride* setting = nullptr;
};

// Scales and zero points by the options and the override. Errors: an override whose axis is not that of the output
// channels, or whose range is not one.
Result<ChannelParams> choose_weight_params(const WeightArgs& args);

// The tensor in integers. Errors: no memory.
Result<Tensor> quantize_tensor(const Tensor& tensor, const ChannelParams& params);

// Scale (float32) and zero point (the integer type) as tensors: scalars per tensor, else [channels].
Tensor scale_tensor(const ChannelParams& params);
Tensor zero_point_tensor(const ChannelParams& params);
// One integer of an 8-bit type as a scalar tensor.
Tensor integer_scalar(DType dtype, Index value);

}  // namespace assay::quantizer
