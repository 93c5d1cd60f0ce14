// SPDX-License-Identifier: Apache-2.0
// A clamp fused into a requantization against the float Relu or Clip it stands for, integer by integer.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "engine/passes/clamp_match.h"
#include "tests/engine/passes/qdq_builder.h"
#include "tests/engine/passes/session_support.h"
#include "tests/support/random.h"

namespace assay::test {
namespace {

struct ClampCase {
  QuantParams params;
  float low = 0;
  float high = 0;
};

QuantParams random_params(Random& random) {
  QuantParams params;
  params.dtype = random.chance(0.5) ? DType::kUint8 : DType::kInt8;
  const IntegerRange range = dtype_integer_range(params.dtype);
  params.zero_point = random.chance(0.3) ? (random.chance(0.5) ? range.min : (range.min + range.max + 1) / 2)
                                         : random.integer(range.min, range.max);
  // Half of the scales are powers of two, so that bounds fall on ties.
  params.scale =
      random.chance(0.5) ? std::ldexp(1.0F, static_cast<int>(random.integer(-6, 3))) : std::exp(random.uniform(-8, 4));
  return params;
}

// Bounds on steps, between two steps, anywhere, outside the range, or infinite; sometimes the wrong way round.
float random_bound(Random& random, const QuantParams& params) {
  const IntegerRange range = dtype_integer_range(params.dtype);
  const auto steps = static_cast<float>(random.integer(range.min - 20, range.max + 20) - params.zero_point);
  switch (random.integer(0, 4)) {
    case 0:
      return steps * params.scale;
    case 1:
      return (steps + 0.5F) * params.scale;
    case 2:
      return random.chance(0.5) ? INFINITY : -INFINITY;
    case 3:
      return 0;
    default:
      return random.uniform(-300, 300) * params.scale;
  }
}

ClampCase random_case(Random& random) {
  ClampCase row;
  row.params = random_params(random);
  row.low = random_bound(random, row.params);
  row.high = random_bound(random, row.params);
  if (row.low > row.high && random.chance(0.9)) {
    std::swap(row.low, row.high);
  }
  return row;
}

// x -> [Clip] -> q
Graph clip_and_quantize(const ClampCase& row, Index count, bool clip) {
  QdqBuilder builder;
  builder.input("x", {count}).constant("low", Tensor::scalar(row.low)).constant("high", Tensor::scalar(row.high));
  if (clip) {
    builder.node("Clip", "c", {"x", "low", "high"});
  }
  return builder.quantize("q", clip ? "c" : "x", row.params).output("q", row.params.dtype).build();
}

IntegerRange expected_clamp(const ClampCase& row) {
  passes::Quantization quantization;
  quantization.dtype = row.params.dtype;
  quantization.scales = Tensor::scalar(row.params.scale);
  quantization.zero_points = integers(row.params.dtype, {}, {row.params.zero_point});
  return passes::quantize_bounds({.low = row.low, .high = row.high}, quantization);
}

TEST(ClampEquality, ClampAndQuantizeCanBeExchanged) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const ClampCase row = random_case(random);
    constexpr Index kCount = 600;
    std::vector<float> values(kCount);
    for (float& value : values) {
      value = random.chance(0.3) ? random_bound(random, row.params) : random.uniform(-400, 400) * row.params.scale;
    }
    const api::NamedTensors inputs = {{"x", Tensor::from({kCount}, values)}};
    const RunConfig config = {.level = api::Optimization::kNone};
    const RunOutcome clipped = run_graph(clip_and_quantize(row, kCount, true), inputs, config);
    const RunOutcome plain = run_graph(clip_and_quantize(row, kCount, false), inputs, config);
    const IntegerRange clamp = expected_clamp(row);
    EXPECT_LE(clamp.min, clamp.max);
    std::vector<Index> expected = plain.outputs.at("q").to_indices();
    for (Index& value : expected) {
      value = std::min(std::max(value, clamp.min), clamp.max);
    }
    ASSERT_EQ(clipped.outputs.at("q").to_indices(), expected)
        << "scale " << row.params.scale << ", zero point " << row.params.zero_point << ", clip to [" << row.low << ", "
        << row.high << "]";
  }
}

// Conv, MatMul or Gemm of one weight on every byte; with and without the clamp.
Graph product_graph(const std::string& op_type, const ClampCase& row, bool clip, const QuantParams& weight) {
  QdqBuilder builder;
  const bool conv = op_type == "Conv";
  builder.input("q", conv ? Shape{256, 1, 1, 1} : Shape{256, 1}, DType::kUint8)
      .dequantize("x", "q", kUnsigned)
      .weight("w", conv ? Shape{1, 1, 1, 1} : Shape{1, 1}, {97}, weight)
      .node(op_type, "p", {"x", "w"})
      .constant("low", Tensor::scalar(row.low))
      .constant("high", Tensor::scalar(row.high));
  if (clip) {
    builder.node("Clip", "c", {"p", "low", "high"});
  }
  return builder.quantize("y", clip ? "c" : "p", row.params).output("y", row.params.dtype).build();
}

TEST(ClampEquality, FusedClampsEqualClampedIntegers) {
  Random random(12);
  std::vector<std::uint8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  int fused = 0;
  for (int round = 0; round < 150; ++round) {
    const ClampCase row = random_case(random);
    const char* op_type = (round % 3 == 0) ? "Conv" : (round % 3 == 1) ? "MatMul" : "Gemm";
    // The products cover about the output's range.
    const QuantParams weight = {.scale = row.params.scale / 50, .zero_point = 0, .dtype = DType::kInt8};
    const api::NamedTensors inputs = {
        {"q", Tensor::from(op_type == std::string("Conv") ? Shape{256, 1, 1, 1} : Shape{256, 1}, bytes)}};
    const RunOutcome clamped = run_graph(product_graph(op_type, row, true, weight), inputs, {});
    const RunOutcome plain = run_graph(product_graph(op_type, row, false, weight), inputs, {});
    ASSERT_EQ(clamped.optimized.nodes.size(), 1U);
    fused += clamped.optimized.nodes[0].domain == kAssayDomain ? 1 : 0;
    const IntegerRange clamp = expected_clamp(row);
    std::vector<Index> expected = plain.outputs.at("y").to_indices();
    for (Index& value : expected) {
      value = std::min(std::max(value, clamp.min), clamp.max);
    }
    ASSERT_EQ(clamped.outputs.at("y").to_indices(), expected) << op_type << " clip to [" << row.low << ", " << row.high;
  }
  EXPECT_GT(fused, 50);  // else nothing was tested
}

}  // namespace
}  // namespace assay::test
