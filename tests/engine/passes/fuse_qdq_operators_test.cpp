// SPDX-License-Identifier: Apache-2.0
// fuse_qdq_elementwise, fuse_qdq_pool, fuse_qdq_unary and fuse_qdq_concat, which have their conditions in common.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr QuantParams kOther = {.scale = 2.0F, .zero_point = 3, .dtype = DType::kUint8};

struct GroupRow {
  const char* pass;
  const char* op_type;
  const char* fused;
  std::size_t operands;
  AttributeMap attributes;
};

std::vector<GroupRow> rows() {
  return {
      {"fuse_qdq_elementwise", "Add", "com.microsoft.QLinearAdd", 2, {}},
      {"fuse_qdq_elementwise", "Mul", "com.microsoft.QLinearMul", 2, {}},
      {"fuse_qdq_pool", "GlobalAveragePool", "com.microsoft.QLinearGlobalAveragePool", 1, {}},
      {"fuse_qdq_pool",
       "AveragePool",
       "com.microsoft.QLinearAveragePool",
       1,
       {{"kernel_shape", std::vector<Index>{2, 2}}, {"count_include_pad", Index{1}}}},
      {"fuse_qdq_unary", "Sigmoid", "com.microsoft.QLinearSigmoid", 1, {}},
      {"fuse_qdq_unary", "LeakyRelu", "com.microsoft.QLinearLeakyRelu", 1, {{"alpha", 0.25F}}},
      {"fuse_qdq_unary", "Softmax", "com.microsoft.QLinearSoftmax", 1, {{"axis", Index{1}}}},
      {"fuse_qdq_concat", "Concat", "com.microsoft.QLinearConcat", 2, {{"axis", Index{1}}}},
  };
}

class FuseQdqOperators : public testing::TestWithParam<GroupRow> {
 protected:
  // Operands a and b with different parameters, the node n, output y.
  QdqBuilder group(const QuantParams& a = kUnsigned, Index opset = 13) const {
    QdqBuilder builder(opset);
    builder.input("qa", {1, 2, 3, 3}, a.dtype).dequantize("a", "qa", a);
    std::vector<std::string> inputs = {"a"};
    if (GetParam().operands == 2) {
      builder.input("qb", {1, 2, 3, 3}, DType::kUint8).dequantize("b", "qb", kOther);
      inputs.push_back("b");
    }
    return builder.node(GetParam().op_type, "n", inputs, GetParam().attributes);
  }
  static Graph quantized(QdqBuilder builder, const std::string& value = "n", const QuantParams& y = kUnsigned) {
    return builder.quantize("y", value, y).output("y", y.dtype).build();
  }
};

TEST_P(FuseQdqOperators, BecomesOneOperator) {
  Graph graph = quantized(group());
  EXPECT_EQ(run_pass(GetParam().pass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{GetParam().fused});
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.name, "n");
  EXPECT_EQ(node.origin, GetParam().pass);
  EXPECT_EQ(node.outputs, std::vector<std::string>{"y"});
  EXPECT_EQ(graph.opset(kMicrosoftDomain), 1);
  for (const char* name : {"qa", "a_scale", "a_zero_point", "y_scale", "y_zero_point"}) {
    EXPECT_NE(std::find(node.inputs.begin(), node.inputs.end(), name), node.inputs.end()) << name;
  }
  for (const auto& [key, value] : GetParam().attributes) {
    EXPECT_EQ(node.attributes.at(key).index(), value.index()) << key;
  }
}

TEST_P(FuseQdqOperators, AClampFollowsOnTheIntegers) {
  Graph graph = quantized(group().node("Relu", "r", {"n"}), "r");
  EXPECT_EQ(run_pass(GetParam().pass, graph), 1);
  ASSERT_EQ(op_types(graph), (Types{GetParam().fused, "Clip"}));
  EXPECT_EQ(graph.nodes[1].outputs[0], "y");
  EXPECT_EQ(constant_values(graph, graph.nodes[1].inputs[1]), std::vector<double>{128});
  Graph redundant = quantized(group().node("Relu", "r", {"n"}), "r", {.scale = 1, .zero_point = 0});
  EXPECT_EQ(run_pass(GetParam().pass, redundant), 1);
  EXPECT_EQ(op_types(redundant), Types{GetParam().fused});
}

TEST_P(FuseQdqOperators, OldOpsetsHaveNoClipOnIntegers) {
  Graph graph = quantized(group(kUnsigned, 11).node("Relu", "r", {"n"}), "r");
  EXPECT_EQ(run_pass(GetParam().pass, graph), 0);
}

TEST_P(FuseQdqOperators, TypesMustBeEqual) {
  Graph output = quantized(group(), "n", kSigned);
  EXPECT_EQ(run_pass(GetParam().pass, output), 0);
  Graph input = quantized(group(kSigned));
  EXPECT_EQ(run_pass(GetParam().pass, input), 0);
}

TEST_P(FuseQdqOperators, ValuesSeenElsewhereBlock) {
  Graph second = quantized(group().node("HardSwish", "h", {"n"}).output("h"));
  EXPECT_EQ(run_pass(GetParam().pass, second), 0);
  Graph shown = quantized(group().output("n"));
  EXPECT_EQ(run_pass(GetParam().pass, shown), 0);
}

// A DequantizeLinear that others read, or the caller, serves them still.
TEST_P(FuseQdqOperators, SharedOperandsServeEveryReader) {
  Graph graph = quantized(group().node("HardSwish", "h", {"a"}).output("h").output("a"));
  EXPECT_EQ(run_pass(GetParam().pass, graph), 1);
  EXPECT_EQ(node_named(graph, "n").op_type, std::string(GetParam().fused).substr(std::string("com.microsoft.").size()));
  EXPECT_EQ(node_named(graph, "h").inputs[0], "a");
  EXPECT_EQ(node_named(graph, "a").op_type, "DequantizeLinear");
}

TEST_P(FuseQdqOperators, UnusableScalesBlock) {
  for (const float scale : {0.0F, -1.0F, INFINITY}) {
    Graph input = quantized(group({.scale = scale}));
    EXPECT_EQ(run_pass(GetParam().pass, input), 0) << scale;
    Graph output = quantized(group(), "n", {.scale = scale});
    EXPECT_EQ(run_pass(GetParam().pass, output), 0) << scale;
  }
}

TEST_P(FuseQdqOperators, FloatOperandsBlock) {
  Graph graph = quantized(group());
  Node& node = graph.nodes.end()[-2];
  ASSERT_EQ(node.name, "n");
  node.inputs.back() = "f";
  graph.inputs.push_back({.name = "f", .dtype = DType::kFloat32, .has_shape = false, .dims = {}});
  EXPECT_EQ(run_pass(GetParam().pass, graph), 0);
}

INSTANTIATE_TEST_SUITE_P(Operators, FuseQdqOperators, testing::ValuesIn(rows()),
                         [](const auto& info) { return std::string(info.param.op_type); });

TEST(FuseQdqUnary, SoftmaxNamesItsOpsetAndAxis) {
  for (const auto& [opset, axis] : {std::pair<Index, Index>{12, 1}, {13, -1}}) {
    Graph graph = QdqBuilder(opset)
                      .input("q", {2, 3}, DType::kUint8)
                      .dequantize("a", "q", kUnsigned)
                      .node("Softmax", "n", {"a"})
                      .quantize("y", "n", kUnsigned)
                      .output("y", DType::kUint8)
                      .build();
    EXPECT_EQ(run_pass("fuse_qdq_unary", graph), 1);
    EXPECT_EQ(graph.nodes[0].int_attribute("opset", 0), opset);
    EXPECT_EQ(graph.nodes[0].int_attribute("axis", 0), axis);
  }
}

TEST(FuseQdqPool, DilatedAveragesStayFloat) {
  const auto with = [](std::vector<Index> dilations) {
    Graph graph = QdqBuilder(19)
                      .input("q", {1, 1, 5, 5}, DType::kUint8)
                      .dequantize("a", "q", kUnsigned)
                      .node("AveragePool", "n", {"a"},
                            {{"kernel_shape", std::vector<Index>{2, 2}}, {"dilations", std::move(dilations)}})
                      .quantize("y", "n", kUnsigned)
                      .output("y", DType::kUint8)
                      .build();
    const Index rewrites = run_pass("fuse_qdq_pool", graph);
    EXPECT_EQ(graph.nodes.back().has_attribute("dilations"), false);
    return rewrites;
  };
  EXPECT_EQ(with({1, 1}), 1);
  EXPECT_EQ(with({2, 2}), 0);
}

TEST(FuseQdqElementwise, BothOperandsHaveTheOutputsType) {
  const auto with = [](const QuantParams& a, const QuantParams& b) {
    Graph graph = QdqBuilder()
                      .input("qa", {2}, a.dtype)
                      .input("qb", {2}, b.dtype)
                      .dequantize("a", "qa", a)
                      .dequantize("b", "qb", b)
                      .node("Add", "n", {"a", "b"})
                      .quantize("y", "n", kUnsigned)
                      .output("y", DType::kUint8)
                      .build();
    return run_pass("fuse_qdq_elementwise", graph);
  };
  EXPECT_EQ(with(kUnsigned, kOther), 1);
  EXPECT_EQ(with(kUnsigned, kSigned), 0);
  EXPECT_EQ(with(kSigned, kUnsigned), 0);
}

TEST(FuseQdqConcat, ListsOutputThenOperands) {
  Graph graph = QdqBuilder()
                    .input("qa", {1, 2}, DType::kUint8)
                    .input("qb", {1, 2}, DType::kUint8)
                    .dequantize("a", "qa", kUnsigned)
                    .dequantize("b", "qb", kOther)
                    .node("Concat", "n", {"a", "b", "a"}, {{"axis", Index{1}}})
                    .quantize("y", "n", kUnsigned)
                    .output("y", DType::kUint8)
                    .build();
  EXPECT_EQ(run_pass("fuse_qdq_concat", graph), 1);
  EXPECT_EQ(graph.nodes[0].inputs,
            (std::vector<std::string>{"y_scale", "y_zero_point", "qa", "a_scale", "a_zero_point", "qb", "b_scale",
                                      "b_zero_point", "qa", "a_scale", "a_zero_point"}));
}

}  // namespace
}  // namespace assay::test
