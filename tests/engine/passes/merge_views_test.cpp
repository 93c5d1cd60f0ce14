// SPDX-License-Identifier: Apache-2.0
// merge_reshapes, merge_slices and merge_casts: two nodes of a kind that one can do.
#include <limits>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr Index kEnd = std::numeric_limits<Index>::max();

QdqBuilder views() {
  QdqBuilder builder(17);
  builder.input("x", {2, 3, 4}).indices("flat", {-1}).indices("six", {6, 4}).indices("copies", {0, -1});
  return std::move(builder.indices("axis", {0}));
}

TEST(MergeReshapes, AViewOfAViewReadsTheFirstInput) {
  Graph graph = views()
                    .node("Flatten", "f", {"x"})
                    .node("Unsqueeze", "u", {"f", "axis"})
                    .node("Reshape", "y", {"u", "six"})
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass("merge_reshapes", graph), 2);
  ASSERT_EQ(op_types(graph), Types{"Reshape"});
  EXPECT_EQ(graph.nodes[0].inputs[0], "x");
  EXPECT_EQ(constant_values(graph, graph.nodes[0].inputs[1]), (std::vector<double>{6, 4}));
  EXPECT_EQ(graph.nodes[0].origin, "merge_reshapes");
}

TEST(MergeReshapes, TheFirstStaysForItsOtherReaders) {
  Graph graph = views().node("Flatten", "f", {"x"}).node("Reshape", "y", {"f", "six"}).output("f").output("y").build();
  EXPECT_EQ(run_pass("merge_reshapes", graph), 1);
  EXPECT_EQ(op_types(graph), (Types{"Flatten", "Reshape"}));
  EXPECT_EQ(graph.nodes[1].inputs[0], "x");
}

TEST(MergeReshapes, AnOpenShapeHasOneOpenDimensionAtMost) {
  const auto with_batch = [](const Shape& shape) {
    Graph graph = views().node("Flatten", "f", {"b"}).node("Unsqueeze", "y", {"f", "axis"}).output("y").build();
    graph.inputs.push_back(open_input("b", shape));
    return graph;
  };
  Graph one = with_batch({-1, 3, 4});
  EXPECT_EQ(run_pass("merge_reshapes", one), 1);
  EXPECT_EQ(constant_values(one, one.nodes[0].inputs[1]), (std::vector<double>{1, -1, 12}));
  Graph two = with_batch({-1, 3, -1});
  EXPECT_EQ(run_pass("merge_reshapes", two), 0);
  // A 0 copies a dimension of the view before it, not of the one before that.
  Graph copies = with_batch({-1, 3, -1});
  copies.nodes[1].op_type = "Reshape";
  copies.nodes[1].inputs[1] = "copies";
  EXPECT_EQ(run_pass("merge_reshapes", copies), 0);
}

TEST(MergeReshapes, WithoutAShapeInputThereIsNothingToMerge) {
  Graph graph =
      QdqBuilder(4).input("x", {2, 3, 4}).node("Flatten", "f", {"x"}).node("Flatten", "y", {"f"}).output("y").build();
  EXPECT_EQ(run_pass("merge_reshapes", graph), 0);
}

// Slices of x [4,6] along axes with steps.
struct Cut {
  Index axis = 0;
  Index step = 1;
};
QdqBuilder slices(const Cut& first, const Cut& second, Index opset = 17) {
  QdqBuilder builder(opset);
  builder.input("x", {4, 6}).indices("start", {1}).indices("end", {kEnd});
  builder.indices("a1", {first.axis})
      .indices("s1", {first.step})
      .indices("a2", {second.axis})
      .indices("s2", {second.step});
  builder.node("Slice", "s", {"x", "start", "end", "a1", "s1"}).node("Slice", "y", {"s", "start", "end", "a2", "s2"});
  return std::move(builder.output("y"));
}

TEST(MergeSlices, OtherAxesBecomeOneSlice) {
  Graph graph = slices({.axis = 0, .step = 2}, {.axis = 1}).build();
  EXPECT_EQ(run_pass("merge_slices", graph), 1);
  ASSERT_EQ(op_types(graph), Types{"Slice"});
  EXPECT_EQ(constant_values(graph, graph.nodes[0].inputs[1]), (std::vector<double>{1, 1}));
  EXPECT_EQ(constant_values(graph, graph.nodes[0].inputs[3]), (std::vector<double>{0, 1}));
  EXPECT_EQ(constant_values(graph, graph.nodes[0].inputs[4]), (std::vector<double>{2, 1}));
}

TEST(MergeSlices, NotOnOneAxisNorForTwoReaders) {
  EXPECT_EQ(rewrites("merge_slices", slices({.axis = 1}, {.axis = 1})), 0);
  EXPECT_EQ(rewrites("merge_slices", slices({.axis = 0}, {.axis = -1})), 0);  // the same axis, perhaps
  EXPECT_EQ(rewrites("merge_slices", slices({.axis = 0}, {.axis = 1}).output("s")), 0);
  EXPECT_EQ(rewrites("merge_slices", slices({.axis = 0}, {.axis = 1}).node("Relu", "z", {"s"}).output("z")), 0);
  Graph computed = slices({.axis = 0}, {.axis = 1}).input("n", {1}, DType::kInt64).build();
  computed.nodes[1].inputs[2] = "n";
  EXPECT_EQ(run_pass("merge_slices", computed), 0);
}

// x -> Cast -> Cast, types as TensorProto has them.
constexpr Index kFloat = 1, kUint8 = 2, kInt8 = 3, kInt32 = 6, kInt64 = 7, kBool = 9, kHalf = 10, kDouble = 11;
QdqBuilder casts(DType from, Index between, Index to) {
  QdqBuilder builder(17);
  builder.input("x", {3}, from).node("Cast", "c", {"x"}, {{"to", between}}).node("Cast", "d", {"c"}, {{"to", to}});
  return std::move(builder.node("Identity", "y", {"d"}).output("y"));
}

TEST(MergeCasts, SkipsACastThatLosesNothing) {
  const auto merged = [](DType from, Index between, Index to) {
    Graph graph = casts(from, between, to).build();
    EXPECT_EQ(run_pass("merge_casts", graph), 1);
    return op_types(graph);
  };
  EXPECT_EQ(merged(DType::kFloat32, kDouble, kInt32), (Types{"Cast", "Identity"}));
  EXPECT_EQ(merged(DType::kInt32, kInt64, kInt8), (Types{"Cast", "Identity"}));
  EXPECT_EQ(merged(DType::kBool, kFloat, kInt64), (Types{"Cast", "Identity"}));
  EXPECT_EQ(merged(DType::kUint8, kFloat, kInt32), (Types{"Cast", "Identity"}));
  EXPECT_EQ(merged(DType::kFloat16, kFloat, kHalf), Types{"Identity"});
  EXPECT_EQ(merged(DType::kInt8, kInt32, kInt8), Types{"Identity"});
}

TEST(MergeCasts, KeepsACastThatMatters) {
  EXPECT_EQ(rewrites("merge_casts", casts(DType::kFloat32, kInt32, kFloat)), 0);  // drops the fraction
  EXPECT_EQ(rewrites("merge_casts", casts(DType::kFloat32, kHalf, kFloat)), 0);   // rounds
  EXPECT_EQ(rewrites("merge_casts", casts(DType::kInt64, kInt32, kInt64)), 0);    // wraps
  EXPECT_EQ(rewrites("merge_casts", casts(DType::kInt32, kFloat, kDouble)), 0);   // rounds above 2^24
  EXPECT_EQ(rewrites("merge_casts", casts(DType::kFloat32, kBool, kFloat)), 0);   // 0 or 1
  EXPECT_EQ(rewrites("merge_casts", casts(DType::kUint8, kInt8, kInt32)), 0);     // 200 becomes -56
  EXPECT_EQ(rewrites("merge_casts", casts(DType::kUint8, kFloat, kInt8)), 0);     // what does not fit, by floats' rule
  EXPECT_EQ(rewrites("merge_casts", casts(DType::kInt8, kUint8, kInt8)), 0);
}

TEST(MergeCasts, NeedsTheFirstType) {
  Graph graph = casts(DType::kFloat32, kDouble, kInt32).build();
  graph.inputs[0].dtype = DType::kUndefined;
  EXPECT_EQ(run_pass("merge_casts", graph), 0);
}

}  // namespace
}  // namespace assay::test
