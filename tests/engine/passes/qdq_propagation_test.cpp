// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "qdq_propagation";
const AttributeMap kKernel = {{"kernel_shape", std::vector<Index>{2, 2}}};

TEST(QdqPropagation, DequantizeMovesDown) {
  Graph graph = QdqBuilder()
                    .input("q", {1, 2, 3, 3}, DType::kUint8)
                    .dequantize("d", "q", kUnsigned)
                    .node("MaxPool", "p", {"d"}, kKernel)
                    .node("Flatten", "f", {"p"})
                    .node("Sigmoid", "y", {"f"})
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass(kPass, graph), 2);
  EXPECT_EQ(op_types(graph), (Types{"MaxPool", "Flatten", "DequantizeLinear", "Sigmoid"}));
  EXPECT_EQ(graph.nodes[0].inputs[0], "q");
  EXPECT_EQ(graph.nodes[2].outputs[0], "f");
  EXPECT_EQ(constant_values(graph, graph.nodes[2].inputs[1]), std::vector<double>{0.5});
  EXPECT_EQ(graph.value_infos.at(graph.nodes[0].outputs[0]).dtype, DType::kUint8);
}

TEST(QdqPropagation, QuantizeMovesUp) {
  Graph graph = QdqBuilder()
                    .input("x", {1, 2, 3, 3})
                    .node("Sigmoid", "s", {"x"})
                    .node("MaxPool", "p", {"s"}, kKernel)
                    .node("Transpose", "t", {"p"})
                    .quantize("y", "t", kUnsigned)
                    .output("y", DType::kUint8)
                    .build();
  EXPECT_EQ(run_pass(kPass, graph), 2);
  EXPECT_EQ(op_types(graph), (Types{"Sigmoid", "QuantizeLinear", "MaxPool", "Transpose"}));
  EXPECT_EQ(graph.nodes[1].inputs[0], "s");
  EXPECT_EQ(graph.nodes[3].outputs[0], "y");
}

TEST(QdqPropagation, GraphOutputsKeepTheirNames) {
  Graph graph = QdqBuilder()
                    .input("q", {2, 3}, DType::kUint8)
                    .dequantize("d", "q", kUnsigned)
                    .node("Transpose", "y", {"d"})
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(op_types(graph), (Types{"Transpose", "DequantizeLinear"}));
  EXPECT_EQ(graph.nodes[1].outputs[0], "y");
}

TEST(QdqPropagation, StaysWhereOthersSeeTheFloats) {
  const auto base = [] {
    QdqBuilder builder;
    builder.input("x", {2, 3}).node("Sigmoid", "s", {"x"}).node("Transpose", "t", {"s"}).quantize("y", "t", kUnsigned);
    return builder.output("y", DType::kUint8);
  };
  Graph shown = base().output("t").build();
  EXPECT_EQ(run_pass(kPass, shown), 0);
  Graph used = base().node("Relu", "r", {"t"}).output("r").build();
  EXPECT_EQ(run_pass(kPass, used), 0);
  Graph input_used = base().node("Relu", "r", {"s"}).output("r").build();
  EXPECT_EQ(run_pass(kPass, input_used), 0);
}

TEST(QdqPropagation, EnclosedNodesAreLeftToDropQdqMovement) {
  const auto around = [](const QuantParams& out) {
    Graph graph = QdqBuilder()
                      .input("q", {2, 3}, DType::kUint8)
                      .dequantize("d", "q", kUnsigned)
                      .node("Transpose", "t", {"d"})
                      .quantize("y", "t", out)
                      .output("y", DType::kUint8)
                      .build();
    return run_pass(kPass, graph);
  };
  EXPECT_EQ(around(kUnsigned), 0);
  EXPECT_EQ(around({.scale = 0.25F}), 1);
}

// Slice is passed; Gather, Expand and Tile are not, since they pick few elements or repeat them.
TEST(QdqPropagation, PassesOperatorsThatKeepMostElements) {
  const auto count = [](const std::string& op_type, std::vector<std::string> operands, AttributeMap attributes = {}) {
    QdqBuilder builder;
    builder.input("q", {2, 4, 4, 4}, DType::kUint8)
        .dequantize("d", "q", kUnsigned)
        .indices("i", {1})
        .indices("four", {1, 1, 1, 1});
    operands.insert(operands.begin(), "d");
    return rewrites(
        "qdq_propagation",
        builder.node(op_type, "m", std::move(operands), std::move(attributes)).node("Sigmoid", "y", {"m"}).output("y"));
  };
  EXPECT_EQ(count("Slice", {"i", "i"}), 1);
  EXPECT_EQ(count("DepthToSpace", {}, {{"blocksize", Index{2}}}), 1);
  EXPECT_EQ(count("SpaceToDepth", {}, {{"blocksize", Index{2}}}), 1);
  EXPECT_EQ(count("Gather", {"i"}), 0);
  EXPECT_EQ(count("Expand", {"four"}), 0);
  EXPECT_EQ(count("Tile", {"four"}), 0);
  EXPECT_EQ(count("ReduceMax", {}), 0);
}

TEST(QdqPropagation, WeightsAndChannelsStay) {
  Graph weight = QdqBuilder()
                     .input("x", {1, 2})
                     .weight("w", {3, 2}, {1, 2, 3, 4, 5, 6}, kSigned)
                     .node("Transpose", "t", {"w"})
                     .node("MatMul", "y", {"x", "t"})
                     .output("y")
                     .build();
  EXPECT_EQ(run_pass(kPass, weight), 0);
  Graph channels = QdqBuilder()
                       .input("q", {2, 2}, DType::kInt8)
                       .constant("s", Tensor::from<float>({2}, {0.5F, 0.25F}))
                       .constant("z", Tensor::from<std::int8_t>({2}, {0, 0}))
                       .node("DequantizeLinear", "d", {"q", "s", "z"}, {{"axis", Index{1}}})
                       .node("Transpose", "y", {"d"})
                       .output("y")
                       .build();
  EXPECT_EQ(run_pass(kPass, channels), 0);
}

}  // namespace
}  // namespace assay::test
