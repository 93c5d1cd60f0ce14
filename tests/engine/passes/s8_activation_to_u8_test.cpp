// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "s8_activation_to_u8";
constexpr QuantParams kActivation = {.scale = 0.5F, .zero_point = -3, .dtype = DType::kInt8};

passes::PassContext profile(Isa isa, Precision precision) {
  return {.profile = {.isa = isa, .precision = precision}, .evaluate = {}};
}
const passes::PassContext kSaturating = profile(Isa::kAvx2, Precision::kFast);

QdqBuilder one_pair() {
  QdqBuilder builder;
  builder.input("x", {2}).pair("d", "x", kActivation);
  return builder;
}

TEST(S8ActivationToU8, ShiftsBothZeroPoints) {
  Graph graph = one_pair().node("Relu", "y", {"d"}).output("y").build();
  graph.value_infos["d_q"] = {.name = "d_q", .dtype = DType::kInt8, .has_shape = false, .dims = {}};
  EXPECT_EQ(run_pass(kPass, graph, kSaturating), 1);
  for (const char* name : {"d_q", "d"}) {
    const Tensor* zero_point = graph.constant(node_named(graph, name).input(2));
    ASSERT_NE(zero_point, nullptr);
    EXPECT_EQ(zero_point->dtype(), DType::kUint8);
    EXPECT_EQ(zero_point->to_indices(), std::vector<Index>{125});
  }
  EXPECT_EQ(graph.value_infos["d_q"].dtype, DType::kUint8);
}

TEST(S8ActivationToU8, OnlyForProfilesThatSaturate) {
  for (const Isa isa : all_isas()) {
    for (const Precision precision : {Precision::kFast, Precision::kExact}) {
      Graph graph = one_pair().node("Relu", "y", {"d"}).output("y").build();
      const bool saturates = precision == Precision::kFast && (isa == Isa::kAvx2 || isa == Isa::kAvx512);
      EXPECT_EQ(run_pass(kPass, graph, profile(isa, precision)), saturates ? 1 : 0) << isa_name(isa);
    }
  }
}

TEST(S8ActivationToU8, AZeroPointLeftOutIsZero) {
  QdqBuilder builder(21);
  builder.input("x", {2})
      .constant("s", Tensor::scalar(0.5F))
      .node("QuantizeLinear", "q", {"x", "s"}, {{"output_dtype", Index{3}}})
      .node("DequantizeLinear", "y", {"q", "s"})
      .output("y");
  Graph graph = builder.build();
  EXPECT_EQ(run_pass(kPass, graph, kSaturating), 1);
  EXPECT_EQ(constant_values(graph, node_named(graph, "q").input(2)), std::vector<double>{128});
  EXPECT_EQ(constant_values(graph, node_named(graph, "y").input(2)), std::vector<double>{128});
  EXPECT_FALSE(node_named(graph, "q").has_attribute("output_dtype"));
}

TEST(S8ActivationToU8, ValuesThatFanOutStay) {
  Graph two_users = one_pair().node("Relu", "y", {"d"}).node("Sigmoid", "z", {"d"}).output("y").output("z").build();
  EXPECT_EQ(run_pass(kPass, two_users, kSaturating), 0);
  Graph two_readers = one_pair().dequantize("e", "d_q", kActivation).output("d").output("e").build();
  EXPECT_EQ(run_pass(kPass, two_readers, kSaturating), 0);
  Graph shown = one_pair().output("d").output("d_q", DType::kInt8).build();
  EXPECT_EQ(run_pass(kPass, shown, kSaturating), 0);
  Graph shown_and_used = one_pair().node("Relu", "y", {"d"}).output("y").output("d").build();
  EXPECT_EQ(run_pass(kPass, shown_and_used, kSaturating), 0);
}

TEST(S8ActivationToU8, WeightsAndUnsignedValuesStay) {
  Graph weights =
      QdqBuilder().constant("w", Tensor::from<float>({1}, {1})).pair("d", "w", kActivation).output("d").build();
  EXPECT_EQ(run_pass(kPass, weights, kSaturating), 0);
  Graph already = QdqBuilder().input("x", {1}).pair("d", "x", kUnsigned).output("d").build();
  EXPECT_EQ(run_pass(kPass, already, kSaturating), 0);
  Graph integer_reader = QdqBuilder(14)
                             .input("x", {1})
                             .quantize("q", "x", kActivation)
                             .node("Relu", "y", {"q"})
                             .output("y", DType::kInt8)
                             .build();
  EXPECT_EQ(run_pass(kPass, integer_reader, kSaturating), 0);
}

}  // namespace
}  // namespace assay::test
