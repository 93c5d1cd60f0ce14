// SPDX-License-Identifier: Apache-2.0
// fuse_byte_functions: where it fires and where not. pass_equality_test.cpp has the values.
#include <gmock/gmock.h>

#include <map>

#include "tests/engine/passes/qdq_builder.h"
#include "tests/engine/passes/session_support.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using Names = std::vector<std::string>;

constexpr const char* kPass = "fuse_byte_functions";

// Bytes x with the scale s and zero point z, of which c is a constant.
QdqBuilder bytes(const Shape& constant_shape = {}) {
  QdqBuilder builder(17);
  builder.input("x", {1, 2, 3}, DType::kUint8).constant("s", Tensor::scalar(0.5F));
  builder.constant("z", integers(DType::kUint8, {}, {128}))
      .constant("c", integers(DType::kUint8, constant_shape, {134}));
  return builder;
}

QdqBuilder& binary(QdqBuilder& builder, const std::string& op_type, const std::string& name, const std::string& a,
                   const std::string& b) {
  return builder.node(op_type, name, {a, "s", "z", b, "s", "z", "s", "z"}, {}, kMicrosoftDomain);
}

// The operators of the optimised graph, which must run.
std::vector<std::string> after(Graph graph, const std::vector<std::string>& disabled = {}, Isa isa = Isa::kScalar) {
  graph.opsets[kMicrosoftDomain] = 1;
  api::NamedTensors inputs;
  for (const ValueInfo& input : graph.inputs) {
    inputs[input.name] = input.dtype == DType::kFloat32
                             ? Tensor::scalar(0.5F)
                             : integers(DType::kUint8, {1, 2, 3}, {0, 120, 128, 131, 134, 255});
  }
  const RunConfig config = {.profile = {.isa = isa, .precision = Precision::kExact}, .disabled = disabled};
  return op_types(run_graph(graph, inputs, config).optimized);
}

// x * clip(x + 3, 0, 6)
QdqBuilder gate() {
  QdqBuilder builder = bytes();
  builder.constant("low", integers(DType::kUint8, {}, {128})).constant("high", integers(DType::kUint8, {}, {140}));
  binary(builder, "QLinearAdd", "a", "x", "c").node("Clip", "k", {"a", "low", "high"});
  return std::move(binary(builder, "QLinearMul", "y", "x", "k").output("y", DType::kUint8));
}

TEST(FuseByteFunctions, AGateIsATable) {
  EXPECT_THAT(after(gate().build()), ElementsAre("ai.assay.ByteLookup"));
  EXPECT_THAT(after(gate().build(), {kPass}),
              ElementsAre("com.microsoft.QLinearAdd", "Clip", "com.microsoft.QLinearMul"));
}

TEST(FuseByteFunctions, NotWhereSumsAreRoundedOtherwise) {
  EXPECT_EQ(after(gate().build(), {}, Isa::kSse41).size(), 3U);
}

TEST(FuseByteFunctions, OneOperatorStays) {
  QdqBuilder builder = bytes();
  binary(builder, "QLinearAdd", "y", "x", "c").output("y", DType::kUint8);
  EXPECT_THAT(after(builder.build()), ElementsAre("com.microsoft.QLinearAdd"));
}

TEST(FuseByteFunctions, ConstantsThatChangeTheShapeStay) {
  for (const auto& [shape, fuses] :
       std::map<Shape, bool>{{{}, true}, {{1}, true}, {{1, 1, 1}, true}, {{1, 1, 1, 1}, false}}) {
    QdqBuilder builder = bytes(shape);
    binary(builder, "QLinearAdd", "a", "x", "c");
    binary(builder, "QLinearMul", "y", "c", "a").output("y", DType::kUint8);
    EXPECT_EQ(after(builder.build()).size(), fuses ? 1U : 2U) << shape_text(shape);
  }
}

TEST(FuseByteFunctions, ValuesReadElsewhereStay) {
  QdqBuilder shown = bytes();
  binary(shown, "QLinearAdd", "a", "x", "c");
  binary(shown, "QLinearMul", "y", "a", "c").output("y", DType::kUint8).output("a", DType::kUint8);
  EXPECT_EQ(after(shown.build()).size(), 2U);
}

TEST(FuseByteFunctions, TwoValuesAreNoFunctionOfOne) {
  QdqBuilder builder = bytes();
  builder.input("other", {1, 2, 3}, DType::kUint8);
  binary(builder, "QLinearAdd", "a", "x", "c");
  binary(builder, "QLinearMul", "y", "a", "other").output("y", DType::kUint8);
  EXPECT_EQ(after(builder.build()).size(), 2U);
}

TEST(FuseByteFunctions, ComputedParametersStay) {
  QdqBuilder builder = bytes();
  builder.input("t", {});
  binary(builder, "QLinearAdd", "a", "x", "c");
  builder.node("QLinearMul", "y", {"a", "s", "z", "c", "t", "z", "s", "z"}, {}, kMicrosoftDomain);
  EXPECT_EQ(after(builder.output("y", DType::kUint8).build()).size(), 2U);
}

}  // namespace
}  // namespace assay::test
