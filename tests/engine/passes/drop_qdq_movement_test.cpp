// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "drop_qdq_movement";

// q (uint8 input) -> d -> node y -> yq
QdqBuilder around(const std::string& op_type, const QuantParams& in, const QuantParams& out, Index opset = 13,
                  std::vector<std::string> more_inputs = {}, AttributeMap attributes = {}) {
  QdqBuilder builder(opset);
  std::vector<std::string> inputs = {"d"};
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  builder.input("q", {1, 2, 3, 3}, in.dtype)
      .dequantize("d", "q", in)
      .node(op_type, "y", inputs, std::move(attributes))
      .quantize("yq", "y", out)
      .output("yq", out.dtype);
  return builder;
}

const AttributeMap kKernel = {{"kernel_shape", std::vector<Index>{2, 2}}};

TEST(DropQdqMovement, MovementRunsOnIntegers) {
  Graph pool = around("MaxPool", kUnsigned, kUnsigned, 13, {}, kKernel).build();
  EXPECT_EQ(run_pass(kPass, pool), 1);
  ASSERT_EQ(op_types(pool), Types{"MaxPool"});
  EXPECT_EQ(pool.nodes[0].inputs[0], "q");
  EXPECT_EQ(pool.nodes[0].outputs[0], "yq");
  EXPECT_EQ(pool.nodes[0].origin, kPass);
  EXPECT_EQ(pool.nodes[0].ints_attribute("kernel_shape"), (std::vector<Index>{2, 2}));
  for (const char* op_type : {"Transpose", "Flatten", "Squeeze"}) {
    Graph graph = around(op_type, kSigned, kSigned).build();
    EXPECT_EQ(run_pass(kPass, graph), 1) << op_type;
    EXPECT_EQ(op_types(graph), Types{op_type});
  }
  Graph reshape = around("Reshape", kUnsigned, kUnsigned, 13, {"shape"})
                      .constant("shape", Tensor::from<std::int64_t>({1}, {-1}))
                      .build();
  EXPECT_EQ(run_pass(kPass, reshape), 1);
  EXPECT_EQ(reshape.nodes[0].inputs, (std::vector<std::string>{"q", "shape"}));
}

TEST(DropQdqMovement, OldFormsTakeNoIntegers) {
  Graph pool = around("MaxPool", kUnsigned, kUnsigned, 11, {}, kKernel).build();
  EXPECT_EQ(run_pass(kPass, pool), 0);
  Graph relu = around("Relu", kUnsigned, kUnsigned, 11).build();
  EXPECT_EQ(run_pass(kPass, relu), 0);
}

TEST(DropQdqMovement, EveryOperatorThatPicksElements) {
  const auto count = [](const std::string& op_type, Index opset, std::vector<std::string> inputs,
                        AttributeMap attributes) {
    return rewrites(kPass, around(op_type, kSigned, kSigned, opset, std::move(inputs), std::move(attributes))
                               .indices("i", {1, 1})
                               .filled("scales", {4}, 2));
  };
  const AttributeMap block = {{"blocksize", Index{1}}};
  EXPECT_EQ(count("DepthToSpace", 13, {}, block), 1);
  EXPECT_EQ(count("SpaceToDepth", 13, {}, block), 1);
  EXPECT_EQ(count("Expand", 13, {"i"}, {}), 1);
  EXPECT_EQ(count("Gather", 13, {"i"}, {}), 1);
  EXPECT_EQ(count("GatherElements", 13, {"i"}, {}), 1);
  EXPECT_EQ(count("Slice", 13, {"i", "i"}, {}), 1);
  EXPECT_EQ(count("Tile", 13, {"i"}, {}), 1);
  EXPECT_EQ(count("Unsqueeze", 13, {"i"}, {}), 1);
  EXPECT_EQ(count("ReduceMax", 13, {}, {}), 1);
  EXPECT_EQ(count("ReduceMin", 12, {}, {}), 1);
  EXPECT_EQ(count("ReduceMax", 11, {}, {}), 0);  // floats only
  EXPECT_EQ(count("ReduceMean", 13, {}, {}), 0);
  EXPECT_EQ(count("AveragePool", 13, {}, kKernel), 0);
  EXPECT_EQ(count("CumSum", 13, {"i"}, {}), 0);
}

TEST(DropQdqMovement, ResizeOnlyWhereItPicksTheNearest) {
  const auto count = [](const std::string& mode, const std::string& coordinates) {
    return rewrites(kPass, around("Resize", kUnsigned, kUnsigned, 13, {"", "scales"},
                                  {{"mode", mode}, {"coordinate_transformation_mode", coordinates}})
                               .filled("scales", {4}, 2));
  };
  EXPECT_EQ(count("nearest", "half_pixel"), 1);
  EXPECT_EQ(count("nearest", "asymmetric"), 1);
  EXPECT_EQ(count("nearest", "tf_crop_and_resize"), 0);
  EXPECT_EQ(count("linear", "asymmetric"), 0);
  EXPECT_EQ(count("cubic", "asymmetric"), 0);
}

// Pad's own value is quantized with the parameters of both sides.
TEST(DropQdqMovement, PadPutsTheQuantizedValue) {
  const auto padded = [](const std::string& mode, std::vector<std::string> inputs, Index opset = 13) {
    return around("Pad", kUnsigned, kUnsigned, opset, std::move(inputs), {{"mode", mode}})
        .indices("pads", {0, 0, 1, 1, 0, 0, 1, 1})
        .filled("three", {}, 3)
        .filled("far", {}, 1e9F)
        .filled("nan", {}, std::numeric_limits<float>::quiet_NaN());
  };
  const auto value = [&](std::vector<std::string> inputs) {
    Graph graph = padded("constant", std::move(inputs)).build();
    EXPECT_EQ(run_pass(kPass, graph), 1);
    EXPECT_EQ(op_types(graph), Types{"Pad"});
    return constant_values(graph, graph.nodes[0].input(2));
  };
  EXPECT_EQ(value({"pads"}), std::vector<double>{128});
  EXPECT_EQ(value({"pads", "three"}), std::vector<double>{134});
  EXPECT_EQ(value({"pads", "far"}), std::vector<double>{255});
  Graph edge = padded("edge", {"pads"}).build();
  EXPECT_EQ(run_pass(kPass, edge), 1);
  EXPECT_EQ(edge.nodes[0].input(2), "");
  EXPECT_EQ(rewrites(kPass, padded("constant", {"pads", "nan"})), 0);
  EXPECT_EQ(rewrites(kPass, padded("constant", {"pads"}, 10)), 0);
  EXPECT_EQ(rewrites(kPass, padded("constant", {"pads", "given"}).input("given", {})), 0);
}

TEST(DropQdqMovement, ReluBecomesAClip) {
  Graph graph = around("Relu", kUnsigned, kUnsigned).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"Clip"});
  const Node& clip = graph.nodes[0];
  EXPECT_EQ(clip.name, "y");
  EXPECT_EQ(clip.inputs[0], "q");
  EXPECT_EQ(clip.outputs[0], "yq");
  EXPECT_EQ(graph.constant(clip.inputs[1])->dtype(), DType::kUint8);
  EXPECT_EQ(constant_values(graph, clip.inputs[1]), std::vector<double>{128});
  EXPECT_EQ(constant_values(graph, clip.inputs[2]), std::vector<double>{255});
}

TEST(DropQdqMovement, ClipAndReluInARow) {
  Graph graph = QdqBuilder()
                    .input("q", {4}, DType::kInt8)
                    .constant("low", Tensor::scalar(-1.0F))
                    .constant("high", Tensor::scalar(6.0F))
                    .dequantize("d", "q", kSigned)
                    .node("Clip", "c", {"d", "low", "high"})
                    .node("Relu", "r", {"c"})
                    .quantize("y", "r", kSigned)
                    .output("y", DType::kInt8)
                    .build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"Clip"});
  EXPECT_EQ(constant_values(graph, graph.nodes[0].inputs[1]), std::vector<double>{0});
  EXPECT_EQ(constant_values(graph, graph.nodes[0].inputs[2]), std::vector<double>{24});
}

TEST(DropQdqMovement, ARangeThatClampsByItselfNeedsNothing) {
  constexpr QuantParams kFromZero = {.scale = 0.5F, .zero_point = 0, .dtype = DType::kUint8};
  Graph graph = QdqBuilder()
                    .input("x", {4})
                    .pair("d", "x", kFromZero)
                    .node("Relu", "r", {"d"})
                    .pair("y", "r", kFromZero)
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(op_types(graph), (Types{"QuantizeLinear", "DequantizeLinear"}));
  EXPECT_EQ(node_named(graph, "y").inputs[0], "d_q");
}

TEST(DropQdqMovement, ParametersMustBeEqualAndUsable) {
  QuantParams other = kUnsigned;
  other.zero_point = 127;
  Graph zero_points = around("Transpose", kUnsigned, other).build();
  EXPECT_EQ(run_pass(kPass, zero_points), 0);
  other = kUnsigned;
  other.scale = 0.25F;
  Graph scales = around("Relu", kUnsigned, other).build();
  EXPECT_EQ(run_pass(kPass, scales), 0);
  for (const float scale : {0.0F, -0.5F, 1e-40F, 1e37F}) {
    other.scale = scale;
    Graph unusable = around("Transpose", other, other).build();
    EXPECT_EQ(run_pass(kPass, unusable), 0) << scale;
  }
  other = kUnsigned;
  other.leave_out_zero_point = true;
  Graph left_out = around("Transpose", other, {.scale = 0.5F, .zero_point = 0, .dtype = DType::kUint8}).build();
  EXPECT_EQ(run_pass(kPass, left_out), 1);
}

TEST(DropQdqMovement, FloatUsersBlock) {
  Graph second = around("Transpose", kUnsigned, kUnsigned).node("Relu", "r", {"y"}).output("r").build();
  EXPECT_EQ(run_pass(kPass, second), 0);
  Graph shown = around("Transpose", kUnsigned, kUnsigned).output("y").build();
  EXPECT_EQ(run_pass(kPass, shown), 0);
}

TEST(DropQdqMovement, OtherUsersOfTheInputKeepIt) {
  Graph graph = around("Transpose", kUnsigned, kUnsigned).node("Sigmoid", "s", {"d"}).output("s").build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(node_named(graph, "s").inputs[0], "d");
  EXPECT_EQ(node_named(graph, "y").inputs[0], "q");
}

}  // namespace
}  // namespace assay::test
