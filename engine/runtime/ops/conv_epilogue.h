// SPDX-License-Identifier: Apache-2.0
// What a convolution does to its sums before it writes them.
#pragma once

#include <limits>

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

// y = activation(conv(x) + z). The same bits as the operators one after the other, for finite values.
struct ConvEpilogue {
  enum class Activation { kNone, kLeakyRelu, kClip };
  bool adds = false;  // z of y's shape, as input 3
  Activation activation = Activation::kNone;
  float alpha = 0;                                      // kLeakyRelu: the factor below 0; 0 is Relu
  float low = -std::numeric_limits<float>::infinity();  // kClip
  float high = std::numeric_limits<float>::infinity();

  bool empty() const { return !adds && activation == Activation::kNone; }
};

// Conv on float32 over one or two dimensions. Errors: those of Conv; a z of another shape.
OperatorResult prepare_conv_with(const PrepareContext& context, const ConvEpilogue& epilogue);

}  // namespace assay::runtime
