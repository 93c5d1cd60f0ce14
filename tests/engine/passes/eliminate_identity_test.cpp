// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

TEST(EliminateIdentity, ForwardsItsInput) {
  Graph graph = QdqBuilder()
                    .input("x", {2})
                    .node("Identity", "i", {"x"})
                    .node("Identity", "j", {"i"})
                    .node("Relu", "y", {"j"})
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass("eliminate_identity", graph), 2);
  EXPECT_EQ(op_types(graph), Types{"Relu"});
  EXPECT_EQ(graph.nodes[0].inputs[0], "x");
}

TEST(EliminateIdentity, AGraphOutputKeepsItsName) {
  Graph graph = QdqBuilder()
                    .input("x", {2})
                    .node("Relu", "r", {"x"})
                    .node("Identity", "y", {"r"})
                    .node("Relu", "z", {"r"})
                    .output("y")
                    .output("z")
                    .build();
  EXPECT_EQ(run_pass("eliminate_identity", graph), 1);
  EXPECT_EQ(op_types(graph), (Types{"Relu", "Relu"}));
  EXPECT_EQ(graph.nodes[0].outputs[0], "y");
  EXPECT_EQ(graph.nodes[1].inputs[0], "y");
}

TEST(EliminateIdentity, StaysBetweenTwoNamesOfTheGraph) {
  Graph from_input = QdqBuilder().input("x", {2}).node("Identity", "y", {"x"}).output("y").build();
  EXPECT_EQ(run_pass("eliminate_identity", from_input), 0);
  EXPECT_EQ(op_types(from_input), Types{"Identity"});
  Graph two_outputs = QdqBuilder()
                          .input("x", {2})
                          .node("Relu", "r", {"x"})
                          .node("Identity", "y", {"r"})
                          .output("y")
                          .output("r")
                          .build();
  EXPECT_EQ(run_pass("eliminate_identity", two_outputs), 0);
}

}  // namespace
}  // namespace assay::test
