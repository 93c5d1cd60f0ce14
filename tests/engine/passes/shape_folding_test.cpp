// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "engine/passes/value_facts.h"
#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "shape_folding";

QdqBuilder constants() {
  QdqBuilder builder(17);
  builder.constant("i0", Tensor::scalar<Index>(0)).constant("i1", Tensor::scalar<Index>(1)).indices("axis", {0});
  return std::move(builder.indices("rest", {-1}).indices("twelve", {12}).indices("zero", {0}));
}

// x -> Shape -> Gather(0) -> Unsqueeze -> Concat with `tail` -> Reshape of x
Graph reshape_by_batch(const Shape& shape, const std::string& tail) {
  Graph graph = constants()
                    .node("Shape", "s", {"x"})
                    .node("Gather", "g", {"s", "i0"})
                    .node("Unsqueeze", "u", {"g", "axis"})
                    .node("Concat", "c", {"u", tail}, {{"axis", Index{0}}})
                    .node("Reshape", "y", {"x", "c"})
                    .output("y")
                    .build();
  graph.inputs.push_back(open_input("x", shape));
  return graph;
}

TEST(ShapeFolding, KnownSizesBecomeConstants) {
  Graph graph = reshape_by_batch({2, 3, 4}, "twelve");
  EXPECT_GT(run_pass(kPass, graph), 0);
  ASSERT_EQ(op_types(graph), Types{"Reshape"});
  EXPECT_EQ(constant_values(graph, graph.nodes[0].inputs[1]), (std::vector<double>{2, 12}));
}

TEST(ShapeFolding, OneOpenDimensionBecomesMinusOne) {
  Graph graph = reshape_by_batch({-1, 3, 4}, "twelve");
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"Reshape"});
  EXPECT_EQ(constant_values(graph, graph.nodes[0].inputs[1]), (std::vector<double>{-1, 12}));
  EXPECT_EQ(graph.nodes[0].origin, kPass);
}

TEST(ShapeFolding, TwoOpenOnesOrAZeroStay) {
  Graph two = reshape_by_batch({-1, 3, 4}, "rest");
  EXPECT_EQ(run_pass(kPass, two), 0);
  Graph zero = reshape_by_batch({-1, 3, 4}, "zero");
  EXPECT_EQ(run_pass(kPass, zero), 0);
  Graph no_rank = reshape_by_batch({2, 3, 4}, "twelve");
  no_rank.inputs[0].has_shape = false;
  EXPECT_EQ(run_pass(kPass, no_rank), 0);
}

TEST(ShapeFolding, DoesNotBelieveRemarks) {
  Graph graph = constants()
                    .node("NonZero", "n", {"x"})
                    .node("Shape", "y", {"n"})
                    .input("x", {2, 3})
                    .output("y", DType::kInt64)
                    .build();
  graph.value_infos["n"] = open_input("n", {2, 5}, DType::kInt64);
  EXPECT_EQ(run_pass(kPass, graph), 0);
}

TEST(ShapeFolding, InputsOfSubgraphsAreNotChecked) {
  Graph graph = reshape_by_batch({2, 3, 4}, "twelve");
  passes::PassContext context;
  context.inputs_checked = false;
  EXPECT_EQ(run_pass(kPass, graph, context), 0);
}

TEST(ShapeFolding, SizesAndArithmeticFollow) {
  Graph graph = constants()
                    .input("x", {2, 3, 4})
                    .node("Size", "n", {"x"})
                    .node("Shape", "s", {"x"}, {{"start", Index{1}}, {"end", Index{-1}}})
                    .node("Mul", "m", {"s", "twelve"})
                    .node("Div", "d", {"m", "n"})
                    .output("n", DType::kInt64)
                    .output("m", DType::kInt64)
                    .output("d", DType::kInt64)
                    .build();
  EXPECT_GT(run_pass(kPass, graph), 0);
  EXPECT_EQ(constant_values(graph, "n"), std::vector<double>{24});
  EXPECT_EQ(graph.constant("n")->rank(), 0U);
  EXPECT_EQ(constant_values(graph, "m"), std::vector<double>{36});
  EXPECT_EQ(constant_values(graph, "d"), std::vector<double>{1});
}

// What facts say of y = op(x, ...).
passes::ValueFacts facts_of(QdqBuilder builder, const std::string& value = "y") {
  Graph graph = builder.output(value).build();
  EXPECT_TRUE(topological_sort(graph).ok());
  return passes::FactTable(graph, true).of(value);
}

Shape known(const passes::ValueFacts& facts) {
  Shape shape;
  for (const Dim& dim : facts.dims.value_or(std::vector<Dim>{{.size = -7}})) {
    shape.push_back(dim.size);
  }
  return shape;
}

TEST(ValueFacts, ShapesOfLayers) {
  const auto image = [] {
    QdqBuilder builder(17);
    builder.input("x", {2, 3, 9, 8}).filled("w", {5, 3, 3, 3}, 1).filled("b", {8, 6}, 1).filled("row", {8}, 1);
    return std::move(builder.indices("starts", {1}).indices("ends", {-1}).indices("axes", {2}).indices("steps", {3}));
  };
  const std::vector<Index> kernel = {3, 2};
  EXPECT_EQ(
      known(facts_of(image().node("Conv", "y", {"x", "w"},
                                  {{"strides", std::vector<Index>{2, 1}}, {"pads", std::vector<Index>{1, 0, 1, 1}}}))),
      (Shape{2, 5, 5, 7}));
  EXPECT_EQ(known(facts_of(image().node("MaxPool", "y", {"x"},
                                        {{"kernel_shape", kernel}, {"dilations", std::vector<Index>{2, 1}}}))),
            (Shape{2, 3, 5, 7}));
  EXPECT_EQ(known(facts_of(image().node("MaxPool", "y", {"x"}, {{"kernel_shape", kernel}, {"ceil_mode", Index{1}}}))),
            (Shape{2, 3, -1, -1}));
  EXPECT_EQ(known(facts_of(image().node("AveragePool", "y", {"x"},
                                        {{"kernel_shape", kernel}, {"auto_pad", std::string("SAME_UPPER")}}))),
            (Shape{2, 3, -1, -1}));
  EXPECT_EQ(known(facts_of(image().node("GlobalAveragePool", "y", {"x"}))), (Shape{2, 3, 1, 1}));
  EXPECT_EQ(known(facts_of(image().node("MatMul", "y", {"x", "b"}))), (Shape{2, 3, 9, 6}));
  EXPECT_EQ(known(facts_of(image().node("Add", "y", {"row", "x"}))), (Shape{2, 3, 9, 8}));
  EXPECT_EQ(known(facts_of(image().node("Flatten", "y", {"x"}, {{"axis", Index{2}}}))), (Shape{6, 72}));
  EXPECT_EQ(known(facts_of(image().node("Transpose", "y", {"x"}))), (Shape{8, 9, 3, 2}));
  EXPECT_EQ(known(facts_of(image().node("Slice", "y", {"x", "starts", "ends", "axes", "steps"}))), (Shape{2, 3, 3, 8}));
  EXPECT_EQ(known(facts_of(image().node("Gather", "y", {"x", "axes"}, {{"axis", Index{-1}}}))), (Shape{2, 3, 9, 1}));
  EXPECT_EQ(known(facts_of(
                image().node("ReduceMean", "y", {"x"}, {{"axes", std::vector<Index>{-1, 1}}, {"keepdims", Index{0}}}))),
            (Shape{2, 9}));
  EXPECT_EQ(known(facts_of(image().node("Concat", "y", {"x", "x"}, {{"axis", Index{-3}}}))), (Shape{2, 6, 9, 8}));
  EXPECT_EQ(known(facts_of(image().node("Upsample", "y", {"x", "row"}))), Shape{-7});  // no rule: nothing known
}

TEST(ValueFacts, TypesOfCastsAndQuantization) {
  const auto type = [](QdqBuilder builder) { return facts_of(std::move(builder.input("x", {2}))).dtype; };
  EXPECT_EQ(type(std::move(QdqBuilder(17).node("Cast", "y", {"x"}, {{"to", Index{7}}}))), DType::kInt64);
  EXPECT_EQ(type(std::move(QdqBuilder(17).quantize("y", "x", kSigned))), DType::kInt8);
  EXPECT_EQ(type(std::move(QdqBuilder(17).pair("y", "x", kUnsigned))), DType::kFloat32);
  EXPECT_EQ(type(std::move(QdqBuilder(17).node("Less", "y", {"x", "x"}))), DType::kBool);
  EXPECT_EQ(type(std::move(QdqBuilder(17).node("Shape", "y", {"x"}))), DType::kInt64);
}

}  // namespace
}  // namespace assay::test
