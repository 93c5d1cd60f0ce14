// SPDX-License-Identifier: Apache-2.0
// drop_qdq_split and drop_dq_argmax.
#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

// q -> DequantizeLinear -> Split in two -> QuantizeLinear each
Graph split(const QuantParams& in, const QuantParams& first, const QuantParams& second) {
  QdqBuilder builder(13);
  builder.input("q", {4, 2}, in.dtype).dequantize("d", "q", in).node("Split", "s", {"d"});
  builder.quantize("y", "s", first).quantize("z", "s2", second).output("y", first.dtype).output("z", second.dtype);
  Graph graph = builder.build();
  graph.nodes[1].outputs = {"s", "s2"};
  return graph;
}

TEST(DropQdqSplit, RunsOnIntegersWithEqualParameters) {
  Graph graph = split(kSigned, kSigned, kSigned);
  EXPECT_EQ(run_pass("drop_qdq_split", graph), 1);
  ASSERT_EQ(op_types(graph), Types{"Split"});
  EXPECT_EQ(graph.nodes[0].inputs[0], "q");
  EXPECT_EQ(graph.nodes[0].outputs, (std::vector<std::string>{"y", "z"}));
  EXPECT_EQ(graph.nodes[0].origin, "drop_qdq_split");
}

TEST(DropQdqSplit, EveryOutputMustFit) {
  Graph other = split(kUnsigned, kUnsigned, {.scale = 0.25F});
  EXPECT_EQ(run_pass("drop_qdq_split", other), 0);
  Graph zero_point = split(kUnsigned, {.zero_point = 127}, kUnsigned);
  EXPECT_EQ(run_pass("drop_qdq_split", zero_point), 0);
  Graph no_scale = split({.scale = 0}, {.scale = 0}, {.scale = 0});
  EXPECT_EQ(run_pass("drop_qdq_split", no_scale), 0);
  Graph shown = split(kUnsigned, kUnsigned, kUnsigned);
  shown.outputs.push_back({.name = "s2", .dtype = DType::kFloat32, .has_shape = false, .dims = {}});
  EXPECT_EQ(run_pass("drop_qdq_split", shown), 0);
  Graph unread = split(kUnsigned, kUnsigned, kUnsigned);
  unread.nodes.pop_back();
  unread.outputs.pop_back();
  EXPECT_EQ(run_pass("drop_qdq_split", unread), 0);
  Graph clamped = split(kUnsigned, kUnsigned, kUnsigned);
  Node relu = clamped.nodes[2];
  relu.name = "relu";
  relu.op_type = "Relu";
  relu.inputs = {"s"};
  relu.outputs = {"r"};
  clamped.nodes[2].inputs[0] = "r";
  clamped.nodes.push_back(relu);
  EXPECT_EQ(run_pass("drop_qdq_split", clamped), 0);
}

QdqBuilder extreme(const std::string& op_type, const QuantParams& params = kUnsigned) {
  QdqBuilder builder(13);
  builder.input("q", {4, 2}, params.dtype).dequantize("d", "q", params).node(op_type, "y", {"d"});
  return std::move(builder.output("y", DType::kInt64));
}

TEST(DropDqArgMax, ReadsTheIntegers) {
  for (const char* op_type : {"ArgMax", "ArgMin"}) {
    Graph graph = extreme(op_type).build();
    EXPECT_EQ(run_pass("drop_dq_argmax", graph), 1);
    ASSERT_EQ(op_types(graph), Types{op_type});
    EXPECT_EQ(graph.nodes[0].inputs[0], "q");
  }
  Graph also_floats = extreme("ArgMax").output("d").build();
  EXPECT_EQ(run_pass("drop_dq_argmax", also_floats), 1);
  EXPECT_EQ(op_types(also_floats), (Types{"DequantizeLinear", "ArgMax"}));
}

TEST(DropDqArgMax, OnlyWhereOrderIsKept) {
  EXPECT_EQ(rewrites("drop_dq_argmax", extreme("ArgMax", {.scale = 0})), 0);
  EXPECT_EQ(rewrites("drop_dq_argmax", extreme("ArgMax", {.scale = -1})), 0);
  EXPECT_EQ(rewrites("drop_dq_argmax", extreme("ReduceMax")), 0);
  Graph channels = extreme("ArgMax")
                       .constant("s", Tensor::from<float>({2}, {1, 2}))
                       .constant("z", integers(DType::kUint8, {2}, {0, 0}))
                       .build();
  channels.nodes[0].inputs = {"q", "s", "z"};
  EXPECT_EQ(run_pass("drop_dq_argmax", channels), 0);
}

}  // namespace
}  // namespace assay::test
