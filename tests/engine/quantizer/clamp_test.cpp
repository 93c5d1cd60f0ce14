// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/clamp.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/quantizer/graph_builder.h"
#include "tests/support/random.h"

namespace assay::quantizer {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr ClampBounds kRelu = {.min = 0, .max = kInfinity};
constexpr ClampBounds kRelu6 = {.min = 0, .max = 6};

QuantParams params(double min, double max, DType dtype = DType::kUint8, bool symmetric = false,
                   RangeKind range = RangeKind::kFull) {
  return choose_params(min, max, {.dtype = dtype, .symmetric = symmetric, .range = range});
}

TEST(ClampBounds, AreReadFromBothForms) {
  const Graph graph = test::GraphBuilder()
                          .constant("lo", Tensor::scalar(-1.0F))
                          .constant("hi", Tensor::scalar(6.0F))
                          .node("Relu", "relu", {"x"})
                          .node("Clip", "both", {"x", "lo", "hi"})
                          .node("Clip", "upper", {"x", "", "hi"})
                          .node("Clip", "attributes", {"x"}, {{"min", 0.5F}, {"max", 2.0F}})
                          .node("Clip", "crossed", {"x", "hi", "lo"})
                          .node("Clip", "dynamic", {"x", "x"})
                          .build();
  const auto bounds = [&](std::size_t i) { return clamp_bounds(graph, graph.nodes[i]); };
  EXPECT_EQ(bounds(0)->min, 0);
  EXPECT_EQ(bounds(0)->max, kInfinity);
  EXPECT_EQ(bounds(1)->min, -1);
  EXPECT_EQ(bounds(1)->max, 6);
  EXPECT_EQ(bounds(2)->min, -kInfinity);
  EXPECT_EQ(bounds(3)->min, 0.5F);
  EXPECT_EQ(bounds(3)->max, 2);
  EXPECT_EQ(bounds(4)->min, -1);  // min above max: everything becomes max
  EXPECT_EQ(bounds(4)->max, -1);
  EXPECT_FALSE(bounds(5).has_value());
}

TEST(ClampsByItself, ReluNeedsTheZeroPointAtTheTypesEnd) {
  EXPECT_TRUE(clamps_by_itself(kRelu, params(0, 5)));
  EXPECT_TRUE(clamps_by_itself(kRelu, params(0, 5, DType::kInt8)));
  EXPECT_TRUE(clamps_by_itself(kRelu, params(0, 0, DType::kInt8)));
  EXPECT_FALSE(clamps_by_itself(kRelu, params(0, 5, DType::kUint8, true)));
  EXPECT_FALSE(clamps_by_itself(kRelu, params(0, 5, DType::kInt8, true)));
  EXPECT_FALSE(clamps_by_itself(kRelu, params(-1, 5)));
  // Zero point -127: -128 is still reachable.
  EXPECT_FALSE(clamps_by_itself(kRelu, params(0, 5, DType::kInt8, false, RangeKind::kNarrow)));
}

TEST(ClampsByItself, ClipNeedsBothBoundsAtTheEnds) {
  EXPECT_TRUE(clamps_by_itself(kRelu6, params(0, 6)));
  EXPECT_TRUE(clamps_by_itself(kRelu6, params(0, 4)));  // nothing above 4 is representable anyway
  EXPECT_FALSE(clamps_by_itself(kRelu6, params(0, 7)));
  EXPECT_FALSE(clamps_by_itself(kRelu6, params(-1, 6)));
  // Defect L10 of the peer: the range always holds 0, so a lower bound above it is not a range's end.
  EXPECT_FALSE(clamps_by_itself({.min = 1, .max = 6}, params(1, 6)));
  EXPECT_TRUE(clamps_by_itself({}, params(-1, 1)));
}

TEST(ClampReason, SaysWhy) {
  EXPECT_EQ(clamp_reason(kRelu, params(0, 5)), "zero point 0 is the type's smallest value");
  EXPECT_EQ(clamp_reason(kRelu, params(0, 5, DType::kUint8, true)),
            "zero point 128 is not the type's smallest value 0");
  EXPECT_EQ(clamp_reason(kRelu6, params(0, 6)), "the quantized range [0, 6] is cut at the bounds [0, 6]");
  EXPECT_EQ(clamp_reason(kRelu6, params(0, 7)), "the quantized range [0, 7] is not cut at the bounds [0, 6]");
}

TEST(Compose, EqualsOneAfterTheOther) {
  test::Random random;
  const auto apply = [](const ClampBounds& b, float x) { return std::min(std::max(x, b.min), b.max); };
  const auto bounds = [&] {
    const float a = random.uniform(-3, 3);
    const float b = random.uniform(-3, 3);
    return ClampBounds{.min = std::min(a, b), .max = random.chance(0.3) ? kInfinity : std::max(a, b)};
  };
  for (int trial = 0; trial < 1000; ++trial) {
    const ClampBounds first = bounds();
    const ClampBounds second = bounds();
    const float x = random.uniform(-5, 5);
    EXPECT_EQ(apply(compose(first, second), x), apply(second, apply(first, x)));
  }
}

// The rule of the header, both ways round, for random parameters and bounds.
TEST(ClampsByItself, IsExactlyWhenLeavingTheClampOutChangesNothing) {
  test::Random random;
  int folded = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const QuantParams p = params(random.chance(0.5) ? 0 : random.uniform(-3, 0), random.uniform(0.5F, 8),
                                 random.chance(0.5) ? DType::kInt8 : DType::kUint8, random.chance(0.2),
                                 random.chance(0.5) ? RangeKind::kFull : RangeKind::kNarrow);
    const ClampBounds bounds = {.min = random.chance(0.7) ? 0.0F : random.uniform(-2, 1),
                                .max = random.chance(0.5) ? kInfinity : random.uniform(1, 9)};
    bool same = true;
    const IntegerRange limits = quantized_bounds(bounds, p);
    for (int i = -2000; i <= 2000; ++i) {
      const float v = static_cast<float>(i) * 0.01F;
      const float clamped = std::min(std::max(v, bounds.min), bounds.max);
      const Index q = quantize_value(v, p);
      same = same && q == quantize_value(clamped, p);
      EXPECT_EQ(std::clamp(q, limits.min, limits.max), quantize_value(clamped, p));
    }
    EXPECT_EQ(clamps_by_itself(bounds, p), same);
    folded += same ? 1 : 0;
  }
  EXPECT_GT(folded, 20);
  EXPECT_LT(folded, 380);
}

}  // namespace
}  // namespace assay::quantizer
