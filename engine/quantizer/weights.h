// SPDX-License-Identifier: Apache-2.0
// Constant tensors as integers, per tensor, per channel or per block.
//
//   q = rint(f32(x / scale)) + zero point, saturated to the type, with the scale and zero point of x's channel or
//   block.
//
// A block is `block` consecutive elements along the axis of a rank-2 tensor; the last one of a row may be shorter. Its
// parameters come from a padded block: zeros belong to every range.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/tensor.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/overrides.h"
#include "engine/quantizer/range_arithmetic.h"

namespace assay::quantizer {

// One set of parameters, one per index along an axis, or one per block and index of the other axis.
struct ChannelParams {
  DType dtype = DType::kInt8;
  Index axis = -1;                 // -1: per tensor
  std::vector<float> scales;       // one, or as many as the axis is long
  std::vector<Index> zero_points;  // as many
  DType scale_type = DType::kFloat32;
  Index block = 0;   // 0: not in blocks
  Index blocks = 0;  // along the axis
  bool operator==(const ChannelParams&) const = default;

  QuantParams channel(std::size_t i) const {
    return {.dtype = dtype, .scale = scales[i], .zero_point = zero_points[i], .scale_type = scale_type};
  }
  std::size_t count() const { return scales.size(); }
  Shape shape() const;  // of the scale tensor: [], [channels], or the tensor's with `blocks` along the axis
};

struct ChannelRange {
  ValueRange range;
  bool all_zero = true;
};

// The range of each channel along `axis`, or of the whole tensor where axis is -1; with a block length, of each block.
// float32, finite.
std::vector<ChannelRange> channel_ranges(const Tensor& tensor, Index axis, Index block = 0);

struct WeightArgs {
  std::string name;
  const Tensor& tensor;     // float32, finite
  Index channel_axis = -1;  // of the output channels; -1 where there is none
  Index block_axis = -1;    // of the contraction, for blocks; -1 where there is none
  DType scale_type = DType::kFloat32;
  const Options& options;
  const TensorOverride* setting = nullptr;
};

// Scales and zero points by the options and the override. Errors: an override whose axis is not that of the output
// channels, or whose range is not one.
Result<ChannelParams> choose_weight_params(const WeightArgs& args);

// The tensor in integers. Errors: no memory.
Result<Tensor> quantize_tensor(const Tensor& tensor, const ChannelParams& params);

// Scale (float32 or float16) and zero point (the integer type) as tensors of params.shape().
Tensor scale_tensor(const ChannelParams& params);
Tensor zero_point_tensor(const ChannelParams& params);
// One integer of a 4-, 8- or 16-bit type as a scalar tensor, and a scale.
Tensor integer_scalar(DType dtype, Index value);
Tensor scale_scalar(const QuantParams& params);

}  // namespace assay::quantizer
