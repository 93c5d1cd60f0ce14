// SPDX-License-Identifier: Apache-2.0
// eliminate_no_op and eliminate_dropout: nodes that give back what they get.
#include <limits>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "eliminate_no_op";
const Shape kShape = {2, 3, 4};

// x -> Relu -> (node) -> Neg -> y, with operands for the node.
QdqBuilder around(const std::string& op_type, std::vector<std::string> operands = {}, AttributeMap attributes = {}) {
  QdqBuilder builder(17);
  builder.input("x", kShape).node("Relu", "r", {"x"});
  builder.indices("shape", {2, 3, 4}).indices("open", {-1, 3, 4}).indices("copies", {0, 0, 0}).indices("other", {6, 4});
  builder.indices("ones", {1, 1, 1}).indices("zero", {0}).indices("one", {1}).indices("minus", {-1});
  builder.indices("last", {std::numeric_limits<Index>::max()}).indices("first", {std::numeric_limits<Index>::min()});
  builder.indices("zeros", {0, 0, 0, 0, 0, 0}).indices("pads", {0, 0, 1, 0, 0, 0}).indices("twice", {1, 2, 1});
  builder.indices("two", {2}).indices("expanded", {1, 2, 3, 4});
  builder.filled("f1", {}, 1).filled("f0", {}, 0).filled("minus0", {}, -0.0F).filled("f2", {}, 2);
  builder.filled("row1", {4}, 1).filled("wide1", {5, 1, 1, 1}, 1);
  operands.insert(operands.begin(), "r");
  return builder.node(op_type, "n", std::move(operands), std::move(attributes)).node("Neg", "y", {"n"}).output("y");
}

struct Row {
  QdqBuilder builder;
  const char* what;
};

TEST(EliminateNoOp, TakesOutWhatGivesBackItsInput) {
  const std::vector<Row> rows = {
      {around("Cast", {}, {{"to", Index{1}}}), "Cast to the same type"},
      {around("Reshape", {"shape"}), "Reshape to the same shape"},
      {around("Reshape", {"open"}), "Reshape with a -1 that is the same"},
      {around("Reshape", {"copies"}), "Reshape that copies every dimension"},
      {around("Expand", {"ones"}), "Expand to ones"},
      {around("Expand", {"shape"}), "Expand to the same shape"},
      {around("Slice", {"zero", "last", "one"}), "Slice of everything"},
      {around("Slice", {"zero", "two", "zero", "one"}), "Slice to the size"},
      {around("Transpose", {}, {{"perm", std::vector<Index>{0, 1, 2}}}), "Transpose in order"},
      {around("Concat", {}, {{"axis", Index{0}}}), "Concat of one"},
      {around("Sum"), "Sum of one"},
      {around("Max"), "Max of one"},
      {around("Min"), "Min of one"},
      {around("Pad", {"zeros"}), "Pad by nothing"},
      {around("Tile", {"ones"}), "Tile by 1"},
      {around("Mul", {"f1"}), "times 1"},
      {around("Mul", {"row1"}), "times a row of 1"},
      {around("Div", {"f1"}), "by 1"},
      {around("Sub", {"f0"}), "minus 0"},
  };
  for (const Row& row : rows) {
    Graph graph = row.builder.build();
    EXPECT_EQ(run_pass(kPass, graph), 1) << row.what;
    EXPECT_EQ(op_types(graph), (Types{"Relu", "Neg"})) << row.what;
  }
}

TEST(EliminateNoOp, LeavesWhatDoesSomething) {
  const std::vector<Row> rows = {
      {around("Cast", {}, {{"to", Index{11}}}), "Cast to another type"},
      {around("Reshape", {"other"}), "Reshape to another shape"},
      {around("Expand", {"expanded"}), "Expand to a higher rank"},
      {around("Slice", {"one", "last", "one"}), "Slice from the second on"},
      {around("Slice", {"minus", "first", "one", "minus"}), "Slice that turns round"},
      {around("Transpose", {}, {{"perm", std::vector<Index>{0, 2, 1}}}), "Transpose that moves"},
      {around("Transpose"), "Transpose that turns all dimensions round"},
      {around("Concat", {"x"}, {{"axis", Index{0}}}), "Concat of two"},
      {around("Max", {"x"}), "Max of two"},
      {around("Pad", {"pads"}), "Pad by one"},
      {around("Tile", {"twice"}), "Tile by 2"},
      {around("Mul", {"f2"}), "times 2"},
      {around("Mul", {"wide1"}), "times ones of a higher rank"},
      {around("Add", {"f0"}), "plus 0, which makes 0 of -0"},
      {around("Sub", {"minus0"}), "minus -0, likewise"},
      {around("Abs"), "Abs"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(rewrites(kPass, row.builder), 0) << row.what;
  }
}

TEST(EliminateNoOp, NeedsToKnowTheShape) {
  QdqBuilder builder(17);
  builder.indices("shape", {2, 3, 4}).node("NonZero", "n", {"x"}).input("x", kShape);
  EXPECT_EQ(rewrites(kPass, builder.node("Reshape", "y", {"n", "shape"}).output("y")), 0);
}

TEST(EliminateNoOp, OpenDimensionsAreKeptByName) {
  Graph graph = QdqBuilder(17)
                    .indices("same", {-1, 4})
                    .node("Reshape", "r", {"x", "same"})
                    .node("Relu", "y", {"r"})
                    .output("y")
                    .build();
  graph.inputs.push_back(open_input("x", {-1, 4}));
  EXPECT_EQ(run_pass(kPass, graph), 1);
}

TEST(EliminateNoOp, KeepsOutputAndInputApart) {
  QdqBuilder builder(17);
  builder.input("x", kShape).node("Transpose", "y", {"x"}, {{"perm", std::vector<Index>{0, 1, 2}}}).output("y");
  EXPECT_EQ(rewrites(kPass, builder), 0);
}

// x -> Dropout -> Neg
QdqBuilder dropout(Index opset, std::vector<std::string> operands = {}, AttributeMap attributes = {}) {
  QdqBuilder builder(opset);
  builder.input("x", kShape).input("flag", {}, DType::kBool).filled("half", {}, 0.5F).filled("none", {}, 0);
  builder.constant("yes", Tensor::scalar(true)).constant("no", Tensor::scalar(false));
  operands.insert(operands.begin(), "x");
  return builder.node("Dropout", "d", std::move(operands), std::move(attributes)).node("Neg", "y", {"d"}).output("y");
}

TEST(EliminateDropout, FiresWhereNothingIsDropped) {
  constexpr const char* kDropout = "eliminate_dropout";
  EXPECT_EQ(rewrites(kDropout, dropout(17)), 1);
  EXPECT_EQ(rewrites(kDropout, dropout(17, {"half"})), 1);
  EXPECT_EQ(rewrites(kDropout, dropout(17, {"half", "no"})), 1);
  EXPECT_EQ(rewrites(kDropout, dropout(17, {"none", "yes"})), 1);
  EXPECT_EQ(rewrites(kDropout, dropout(10, {}, {{"ratio", 0.5F}})), 1);
  EXPECT_EQ(rewrites(kDropout, dropout(6, {}, {{"is_test", Index{1}}})), 1);
  EXPECT_EQ(rewrites(kDropout, dropout(6)), 0);
  EXPECT_EQ(rewrites(kDropout, dropout(17, {"half", "yes"})), 0);
  EXPECT_EQ(rewrites(kDropout, dropout(17, {"half", "flag"})), 0);
}

TEST(EliminateDropout, LeavesAMaskThatIsRead) {
  Graph graph = dropout(17).build();
  graph.nodes[0].outputs = {"d", "mask"};
  Graph with_reader = graph;
  EXPECT_EQ(run_pass("eliminate_dropout", graph), 1);
  with_reader.outputs.push_back({.name = "mask", .dtype = DType::kBool, .has_shape = false, .dims = {}});
  EXPECT_EQ(run_pass("eliminate_dropout", with_reader), 0);
}

}  // namespace
}  // namespace assay::test
