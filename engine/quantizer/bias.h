// SPDX-License-Identifier: Apache-2.0
// The bias of a quantized Conv or Gemm: int32 with zero point 0 and scale f32(x_scale * w_scale) per channel, so that
// it adds to the accumulator as it is.
//
//   q = rint(b / bias scale) in double, saturated to int32.
//
// Where a weight scale is so small that |q| would exceed 2^30, the weight scale is raised until it does not; the other
// half of int32 is left to the accumulator. (The peer raises it too, but only to int32's very end.) With 16-bit
// operands, which no int32 accumulator serves, the peer's rule holds: the smallest scale is 1.0001 * 2|b| / (2^32 - 2),
// and the weight scale is multiplied by what x_scale * w_scale lacks of it, in double. A channel whose weights are all
// zero has no scale of its own, and the scale 1 that it gets by default would round a bias below x_scale / 2 to
// nothing; it gets the scale that makes |q| = 2^20 instead. A weight scale that an override fixes is left alone; what
// is then lost is a warning.
#pragma once

#include <string>
#include <vector>

#include "engine/quantizer/weights.h"

namespace assay::quantizer {

struct BiasArgs {
  const Tensor& bias;                                // float32: one value per channel, or a single one
  float x_scale = 1;                                 // of the node's input
  Index channels = 1;                                // output channels
  const std::vector<ChannelRange>& weight_channels;  // as many as there are weight scales
  bool wide = false;                                 // activations or weights have 16 bits
};

// The weight parameters with scales raised where the bias needs it.
ChannelParams fit_scales_to_bias(const ChannelParams& weights, const BiasArgs& args);

struct QuantizedBias {
  Tensor data;                // int32 [channels]
  std::vector<float> scales;  // one, or one per channel, as the weights have
  Index saturated = 0;        // values that did not fit into int32
};

Result<QuantizedBias> quantize_bias(const ChannelParams& weights, const BiasArgs& args);

}  // namespace assay::quantizer
