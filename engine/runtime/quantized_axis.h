// SPDX-License-Identifier: Apache-2.0
// The scales and zero points of QuantizeLinear and DequantizeLinear: per tensor or along one axis. The tensor is
// [outer, channels, inner]; per tensor, channels is 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/block_vector.h"
#include "engine/kernels/linear/linear.h"
#include "engine/runtime/operator.h"
#include "engine/runtime/parallel.h"

namespace assay::runtime {

struct AxisParams {
  Index outer = 1;
  Index channels = 1;
  Index inner = 1;
  BlockVector<float> scales;              // [channels]
  BlockVector<std::int32_t> zero_points;  // [channels]
};

// Consecutive elements that share a scale.
struct AxisSpan {
  Index first = 0;
  Index count = 0;
  std::size_t channel = 0;
};
// Calls body(span) for spans that cover the tensor, long ones in pieces that threads share.
template <typename Body>
void for_each_span(const AxisParams& params, int threads, const Body& body) {
  constexpr Index kPiece = Index{1} << 14;
  const Index pieces = (params.inner + kPiece - 1) / kPiece;
  const Index count = params.outer * params.channels * pieces;
  for_each_task(count, threads, [&](Index task, int) {
    const Index skipped = task % pieces * kPiece;
    body(AxisSpan{.first = task / pieces * params.inner + skipped,
                  .count = std::min(kPiece, params.inner - skipped),
                  .channel = static_cast<std::size_t>(task / pieces % params.channels)});
  });
}

struct AxisOperands {
  const Tensor& x;
  const Tensor& scale;
  const Tensor& zero_point;  // empty: 0
  DType zero_point_type = DType::kUndefined;
  Index axis = 1;
};
// Errors: a scale that is neither one element nor 1-D along the axis, zero points of another type or shape.
Result<AxisParams> read_axis_params(const AxisOperands& operands);

// Elements of one scale on their way to integers of 4, 8 or 16 bits.
struct QuantizeSpan {
  const float* x = nullptr;
  Index count = 0;
  float scale = 1;
  std::int32_t zero_point = 0;
  DType y_type = DType::kUint8;
  std::byte* y = nullptr;
};
// By a function of kernels/linear. Those of 4 bits are the 8-bit ones, cut off at the smaller type's ends.
void quantize_span(const QuantizeSpan& span, void (*quantize)(const kernels::QuantizeArgs&));

// kUnsupported where the node quantizes with a precision that is not float32.
Status check_precision(const Node& node);

}  // namespace assay::runtime
