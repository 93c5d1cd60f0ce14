// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "remove_redundant_qdq";

// x -> q1 -> d -> q2, read by the DequantizeLinear y
QdqBuilder chain(const QuantParams& first, const QuantParams& second) {
  QdqBuilder builder;
  builder.input("x", {4}).quantize("q1", "x", first).dequantize("d", "q1", first).quantize("q2", "d", second);
  return builder.dequantize("y", "q2", second).output("y");
}

TEST(RemoveRedundantQdq, EqualParametersCancel) {
  Graph graph = chain(kUnsigned, kUnsigned).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(op_types(graph), (Types{"QuantizeLinear", "DequantizeLinear"}));
  EXPECT_EQ(node_named(graph, "y").inputs[0], "q1");
}

TEST(RemoveRedundantQdq, AGraphOutputKeepsItsName) {
  Graph graph = chain(kUnsigned, kUnsigned).output("q2", DType::kUint8).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(op_types(graph), (Types{"QuantizeLinear", "DequantizeLinear"}));
  EXPECT_EQ(node_named(graph, "q1").outputs[0], "q2");
  EXPECT_EQ(node_named(graph, "y").inputs[0], "q2");
}

TEST(RemoveRedundantQdq, OtherReadersOfTheFloatsKeepThem) {
  Graph graph = chain(kUnsigned, kUnsigned).node("Relu", "r", {"d"}).output("r").build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(node_named(graph, "r").inputs[0], "d");
  EXPECT_EQ(node_named(graph, "y").inputs[0], "q1");
}

TEST(RemoveRedundantQdq, OtherParametersStay) {
  QuantParams other = kUnsigned;
  other.scale = 0.25F;
  Graph scale = chain(kUnsigned, other).build();
  EXPECT_EQ(run_pass(kPass, scale), 0);
  other = kUnsigned;
  other.zero_point = 0;
  Graph zero_point = chain(kUnsigned, other).build();
  EXPECT_EQ(run_pass(kPass, zero_point), 0);
  Graph type = chain({.scale = 0.5F, .zero_point = 0, .dtype = DType::kUint8},
                     {.scale = 0.5F, .zero_point = 0, .dtype = DType::kInt8})
                   .build();
  EXPECT_EQ(run_pass(kPass, type), 0);
  Graph negative = chain({.scale = -1}, {.scale = -1}).build();
  EXPECT_EQ(run_pass(kPass, negative), 0);
}

}  // namespace
}  // namespace assay::test
