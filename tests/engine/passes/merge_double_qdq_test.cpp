// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "merge_double_qdq";
constexpr QuantParams kWide = {.scale = 0.1F, .zero_point = 128};
constexpr QuantParams kShifted = {.scale = 0.07F, .zero_point = 10};

QdqBuilder pairs(const QuantParams& first, const QuantParams& second) {
  QdqBuilder builder(17);
  return std::move(
      builder.input("x", {4}).pair("a", "x", first).pair("b", "a", second).node("Relu", "y", {"b"}).output("y"));
}

struct Merged {
  float scale = 0;
  double zero_point = 0;
};
Merged merged(const QuantParams& first, const QuantParams& second) {
  Graph graph = pairs(first, second).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(op_types(graph), (Types{"QuantizeLinear", "DequantizeLinear", "Relu"}));
  const auto parameter = [&](std::size_t node, std::size_t input) {
    return constant_values(graph, graph.nodes[node].input(input)).at(0);
  };
  EXPECT_EQ(parameter(0, 1), parameter(1, 1));
  EXPECT_EQ(parameter(0, 2), parameter(1, 2));
  return {.scale = static_cast<float>(parameter(0, 1)), .zero_point = parameter(0, 2)};
}

// Parameters that ONNX Runtime 1.32 writes for these pairs.
TEST(MergeDoubleQdq, TheRangeIsWhatBothCanShow) {
  const Merged shifted = merged(kWide, kShifted);
  EXPECT_EQ(shifted.scale, 0.05254901945590973F);
  EXPECT_EQ(shifted.zero_point, 13);
  const Merged narrow = merged({.scale = 0.1F, .zero_point = 0, .dtype = DType::kInt8},
                               {.scale = 0.05F, .zero_point = -100, .dtype = DType::kInt8});
  EXPECT_EQ(narrow.scale, 0.05000000074505806F);
  EXPECT_EQ(narrow.zero_point, -100);
}

TEST(MergeDoubleQdq, EqualParametersStay) {
  const Merged same = merged(kWide, kWide);
  EXPECT_EQ(same.scale, 0.1F);
  EXPECT_EQ(same.zero_point, 128);
}

TEST(MergeDoubleQdq, SeveralPairsInARow) {
  Graph graph = pairs(kWide, kShifted).pair("c", "b", kWide).output("c").build();
  graph.nodes.erase(graph.nodes.begin() + 4);
  graph.outputs.erase(graph.outputs.begin());
  EXPECT_EQ(run_pass(kPass, graph), 2);
  EXPECT_EQ(op_types(graph), (Types{"QuantizeLinear", "DequantizeLinear"}));
}

TEST(MergeDoubleQdq, RangesThatShareNothingStay) {
  EXPECT_EQ(rewrites(kPass, pairs({.scale = 0.1F, .zero_point = 0}, {.scale = 0.1F, .zero_point = 255})), 0);
}

TEST(MergeDoubleQdq, OtherTypesAndReadersBetweenStay) {
  EXPECT_EQ(rewrites(kPass, pairs(kUnsigned, kSigned)), 0);
  EXPECT_EQ(rewrites(kPass, pairs({.scale = 0, .zero_point = 0}, kWide)), 0);
  EXPECT_EQ(rewrites(kPass, pairs(kWide, kShifted).output("a")), 0);
  EXPECT_EQ(rewrites(kPass, pairs(kWide, kShifted).output("a_q", DType::kUint8)), 0);
  EXPECT_EQ(rewrites(kPass, pairs(kWide, kShifted).output("b_q", DType::kUint8)), 0);
  EXPECT_EQ(rewrites(kPass, pairs(kWide, kShifted).node("Neg", "z", {"a"}).output("z")), 0);
  EXPECT_EQ(rewrites(kPass, pairs(kWide, kShifted).dequantize("z", "b_q", kShifted).output("z")), 0);
  // A pair whose two nodes differ means something else.
  Graph uneven = pairs(kWide, kShifted).filled("other", {}, 0.2F).build();
  uneven.nodes[1].inputs[1] = "other";
  EXPECT_EQ(run_pass(kPass, uneven), 0);
}

}  // namespace
}  // namespace assay::test
