// SPDX-License-Identifier: Apache-2.0
// What a convolution does to its sums before it writes them.
#pragma once

#include <limits>

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

// y = activation(conv(x) + z). The same bits as the operators one after the other, but for the sign of a zero.
struct ConvEpilogue {
  enum class Activation { kNone, kLeakyRelu, kClip };
  bool adds = false;  // z of y's shape, as input 3
  Activation activation = Activation::kNone;
  float alpha = 0;                                      // kLeakyRelu: the factor below 0; 0 is Relu
  float low = -std::numeric_limits<float>::infinity();  // kClip
  float high = std::numeric_limits<float>::infinity();

  bool empty() const { return !adds && activation == Activation::kNone; }
  // Whether oneDNN's form of it turns NaN into a bound, where ONNX's operators keep it.
  bool clamps() const {
    return activation == Activation::kClip || (activation == Activation::kLeakyRelu && alpha == 0);
  }
};

// The activation of one sum; as oneDNN's, but for NaN, which stays.
inline float activated(float sum, const ConvEpilogue& epilogue) {
  switch (epilogue.activation) {
    case ConvEpilogue::Activation::kNone:
      return sum;
    case ConvEpilogue::Activation::kLeakyRelu:
      if (epilogue.alpha == 0) {
        return sum <= 0 ? 0 : sum;
      }
      return sum > 0 ? sum : epilogue.alpha * sum;
    case ConvEpilogue::Activation::kClip:
      sum = sum <= epilogue.low ? epilogue.low : sum;
      return sum >= epilogue.high ? epilogue.high : sum;
  }
  return sum;
}

// Conv on float32 over one or two dimensions. Errors: those of Conv; a z of another shape.
OperatorResult prepare_conv_with(const PrepareContext& context, const ConvEpilogue& epilogue);

}  // namespace assay::runtime
