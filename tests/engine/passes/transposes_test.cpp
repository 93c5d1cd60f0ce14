// SPDX-License-Identifier: Apache-2.0
// sink_transposes, merge_transposes and transpose_to_reshape.
#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

const std::vector<Index> kLast = {0, 2, 3, 1};   // channels to the back
const std::vector<Index> kFirst = {0, 3, 1, 2};  // and to the front again

AttributeMap perm(const std::vector<Index>& order) { return {{"perm", order}}; }

QdqBuilder image(const Shape& shape = {2, 3, 4, 5}) {
  QdqBuilder builder(17);
  return std::move(builder.input("x", shape).input("x2", shape));
}

TEST(MergeTransposes, InversePairsGo) {
  Graph graph = image()
                    .node("Transpose", "a", {"x"}, perm(kLast))
                    .node("Transpose", "b", {"a"}, perm(kFirst))
                    .node("Relu", "y", {"b"})
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass("merge_transposes", graph), 1);
  ASSERT_EQ(op_types(graph), Types{"Relu"});
  EXPECT_EQ(graph.nodes[0].inputs[0], "x");
}

TEST(MergeTransposes, OthersBecomeOne) {
  Graph graph = image()
                    .node("Transpose", "a", {"x"}, perm(kLast))
                    .node("Transpose", "y", {"a"}, perm({1, 0, 2, 3}))
                    .output("a")
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass("merge_transposes", graph), 1);
  EXPECT_EQ(node_named(graph, "y").inputs[0], "x");
  EXPECT_EQ(node_named(graph, "y").ints_attribute("perm"), (std::vector<Index>{2, 0, 3, 1}));
  EXPECT_EQ(op_types(graph), (Types{"Transpose", "Transpose"}));  // the first one is an output
}

TEST(MergeTransposes, LeavesOneThatDoesNotStateItsOrder) {
  EXPECT_EQ(rewrites("merge_transposes",
                     image().node("Transpose", "a", {"x"}).node("Transpose", "y", {"a"}, perm(kFirst)).output("y")),
            0);
  EXPECT_EQ(rewrites("merge_transposes", image().node("Transpose", "y", {"x"}, perm(kFirst)).output("y")), 0);
}

// x -> Transpose -> Relu -> Mul by c -> Transpose -> y
QdqBuilder chain(const Shape& constant) {
  return std::move(image()
                       .filled("c", constant, 2)
                       .node("Transpose", "a", {"x"}, perm(kLast))
                       .node("Relu", "r", {"a"})
                       .node("Mul", "m", {"c", "r"})
                       .node("Transpose", "y", {"m"}, perm(kFirst))
                       .output("y"));
}

TEST(SinkTransposes, MovesDownToTheNextOne) {
  Graph graph = chain({1}).build();
  EXPECT_EQ(run_pass("sink_transposes", graph), 2);
  EXPECT_EQ(op_types(graph), (Types{"Relu", "Mul", "Transpose", "Transpose"}));
  EXPECT_EQ(run_pass("merge_transposes", graph), 1);
  EXPECT_EQ(op_types(graph), (Types{"Relu", "Mul"}));
  EXPECT_EQ(graph.nodes[0].origin, "sink_transposes");
}

TEST(SinkTransposes, NotAcrossWhatDependsOnPlacesOrIsReadElsewhere) {
  EXPECT_EQ(rewrites("sink_transposes", chain({3})), 0);              // a constant per channel
  EXPECT_EQ(rewrites("sink_transposes", chain({1, 1, 1, 1, 1})), 0);  // a constant that adds a dimension
  EXPECT_EQ(rewrites("sink_transposes", chain({1}).output("a")), 0);
  EXPECT_EQ(rewrites("sink_transposes", chain({1}).output("m")), 0);
  QdqBuilder softmax = image()
                           .node("Transpose", "a", {"x"}, perm(kLast))
                           .node("Softmax", "s", {"a"})
                           .node("Transpose", "y", {"s"}, perm(kFirst))
                           .output("y");
  EXPECT_EQ(rewrites("sink_transposes", softmax), 0);
  QdqBuilder no_second = image().node("Transpose", "a", {"x"}, perm(kLast)).node("Relu", "y", {"a"}).output("y");
  EXPECT_EQ(rewrites("sink_transposes", no_second), 0);
}

QdqBuilder joined(const std::vector<Index>& left, const std::vector<Index>& right, const std::string& op = "Sub") {
  return std::move(image({2, 4, 4, 4})
                       .node("Transpose", "a", {"x"}, perm(left))
                       .node("Transpose", "b", {"x2"}, perm(right))
                       .node(op, "y", {"a", "b"})
                       .output("y"));
}

TEST(SinkTransposes, TwoAlikeBecomeOne) {
  Graph graph = joined(kLast, kLast).build();
  EXPECT_EQ(run_pass("sink_transposes", graph), 1);
  ASSERT_EQ(op_types(graph), (Types{"Sub", "Transpose"}));
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<std::string>{"x", "x2"}));
  EXPECT_EQ(graph.nodes[1].outputs[0], "y");
  EXPECT_EQ(rewrites("sink_transposes", joined(kLast, kFirst)), 0);
  EXPECT_EQ(rewrites("sink_transposes", joined(kLast, kLast, "MatMul")), 0);
  EXPECT_EQ(rewrites("sink_transposes", joined(kLast, kLast).output("b")), 0);
  QdqBuilder itself = image().node("Transpose", "a", {"x"}, perm(kLast)).node("Mul", "y", {"a", "a"}).output("y");
  EXPECT_EQ(rewrites("sink_transposes", itself), 0);
}

TEST(TransposeToReshape, WhereOnlyOnesMove) {
  Graph graph = image({2, 3, 1, 1}).node("Transpose", "y", {"x"}, perm(kLast)).output("y").build();
  EXPECT_EQ(run_pass("transpose_to_reshape", graph), 1);
  ASSERT_EQ(op_types(graph), Types{"Reshape"});
  EXPECT_EQ(constant_values(graph, graph.nodes[0].inputs[1]), (std::vector<double>{2, 1, 1, 3}));
  EXPECT_EQ(
      rewrites("transpose_to_reshape", image({2, 3, 4, 1}).node("Transpose", "y", {"x"}, perm(kLast)).output("y")), 0);
}

TEST(TransposeToReshape, OpenDimensionsCountAsMoreThanOne) {
  const auto with_input = [](const Shape& shape) {
    Graph graph = QdqBuilder(17).node("Transpose", "y", {"b"}, perm(kLast)).output("y").build();
    graph.inputs.push_back(open_input("b", shape));
    return graph;
  };
  Graph batch = with_input({-1, 3, 1, 1});
  EXPECT_EQ(run_pass("transpose_to_reshape", batch), 1);
  EXPECT_EQ(constant_values(batch, batch.nodes[0].inputs[1]), (std::vector<double>{-1, 1, 1, 3}));
  Graph moved = with_input({2, 3, -1, 1});
  EXPECT_EQ(run_pass("transpose_to_reshape", moved), 0);
  Graph two = with_input({-1, -1, 1, 1});
  EXPECT_EQ(run_pass("transpose_to_reshape", two), 0);
}

}  // namespace
}  // namespace assay::test
