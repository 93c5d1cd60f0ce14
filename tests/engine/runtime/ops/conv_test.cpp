// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>

#include "tests/engine/runtime/ops/float_data.h"
#include "tests/engine/runtime/ops/run_operator.h"
#include "tests/support/oracle/float_reference.h"

namespace assay::test {
namespace {

using Ints = std::vector<Index>;
using oracle::ConvGeometry;

struct ConvCase {
  ConvGeometry geometry;
  bool one_dimensional = false;
  bool has_bias = false;
};

Index room(Random& random, Index kernel, Index dilation) { return (kernel - 1) * dilation + 1 + random.integer(0, 9); }

ConvCase random_case(Random& random) {
  ConvCase out;
  ConvGeometry& g = out.geometry;
  out.one_dimensional = random.chance(0.25);
  out.has_bias = random.chance(0.5);
  const bool depthwise = random.chance(0.3);
  g.batch = random.integer(1, 3);
  g.group = depthwise ? random.integer(1, 18) : random.integer(1, 3);
  g.channels = g.group * (depthwise ? 1 : random.integer(1, 9));
  g.outputs = g.group * (depthwise ? 1 : random.integer(1, 9));
  g.kernel_w = random.integer(1, 4);
  g.stride_w = random.integer(1, 3);
  g.dilation_w = random.integer(1, 3);
  g.pad_left = random.integer(0, 2);
  g.pad_right = random.integer(0, 2);
  g.width = room(random, g.kernel_w, g.dilation_w);
  if (!out.one_dimensional) {
    g.kernel_h = random.integer(1, 4);
    g.stride_h = random.integer(1, 3);
    g.dilation_h = random.integer(1, 3);
    g.pad_top = random.integer(0, 2);
    g.pad_bottom = random.integer(0, 2);
    g.height = room(random, g.kernel_h, g.dilation_h);
  }
  return out;
}

Shape spatial(const ConvCase& c, Shape leading, Index h, Index w) {
  if (!c.one_dimensional) {
    leading.push_back(h);
  }
  leading.push_back(w);
  return leading;
}

AttributeMap attributes_of(const ConvCase& c) {
  const ConvGeometry& g = c.geometry;
  if (c.one_dimensional) {
    return {{"group", g.group},
            {"strides", Ints{g.stride_w}},
            {"dilations", Ints{g.dilation_w}},
            {"pads", Ints{g.pad_left, g.pad_right}}};
  }
  return {{"group", g.group},
          {"strides", Ints{g.stride_h, g.stride_w}},
          {"dilations", Ints{g.dilation_h, g.dilation_w}},
          {"pads", Ints{g.pad_top, g.pad_left, g.pad_bottom, g.pad_right}}};
}

TEST(Conv, AgreesWithTheReferenceOnRandomShapes) {
  Random random(2);
  for (int round = 0; round < 120; ++round) {
    const ConvCase c = random_case(random);
    const ConvGeometry& g = c.geometry;
    const Tensor x = random_floats(random, spatial(c, {g.batch, g.channels}, g.height, g.width));
    const Tensor w = random_floats(random, spatial(c, {g.outputs, g.channels / g.group}, g.kernel_h, g.kernel_w));
    const Tensor bias = c.has_bias ? random_floats(random, {g.outputs}) : Tensor();
    NodeRun run{
        .op_type = "Conv", .attributes = attributes_of(c), .inputs = {x, w}, .computed = {true, round % 2 == 0}};
    if (c.has_bias) {
      run.inputs.push_back(bias);
    }
    const Tensor y = run_one(run, {.threads = 1 + round % 2});
    const auto expected = oracle::float_conv(g, floats(x), floats(w), c.has_bias ? floats(bias) : oracle::Floats{});
    SCOPED_TRACE("round " + std::to_string(round));
    expect_close(y, spatial(c, {g.batch, g.outputs}, g.out_h(), g.out_w()), expected, 1e-5);
    if (HasFatalFailure()) {
      return;
    }
  }
}

// Dilation d as d * d images: every remainder of sizes and pads, whole blocks of channels.
TEST(Conv, DilatesInPhases) {
  Random random(14);
  for (const Index dilation : {2, 3, 5}) {
    for (Index more = 0; more < dilation; ++more) {
      ConvGeometry g{.batch = 2, .channels = 16, .height = 20 + more, .width = 24 - more, .outputs = 8};
      g.kernel_h = g.kernel_w = 3;
      g.dilation_h = dilation;
      g.dilation_w = 1 + more % dilation;
      g.pad_top = more;
      g.pad_left = dilation;
      g.pad_bottom = 1;
      const Tensor x = random_floats(random, {2, 16, g.height, g.width});
      const Tensor w = random_floats(random, {8, 16, 3, 3});
      const NodeRun run{.op_type = "Conv",
                        .attributes = {{"dilations", Ints{g.dilation_h, g.dilation_w}},
                                       {"pads", Ints{g.pad_top, g.pad_left, g.pad_bottom, g.pad_right}}},
                        .inputs = {x, w}};
      expect_close(run_one(run, {.threads = 2}), {2, 8, g.out_h(), g.out_w()},
                   oracle::float_conv(g, floats(x), floats(w), {}), 2e-5);
    }
  }
}

// Columns over narrow images, which are computed as one row, and shapes beside them that are not.
TEST(Conv, ColumnsOverNarrowImages) {
  Random random(17);
  for (int round = 0; round < 60; ++round) {
    ConvGeometry g{
        .batch = random.integer(1, 2), .channels = 8 * random.integer(1, 4), .outputs = 8 * random.integer(1, 4)};
    g.group = random.chance(0.2) ? 2 : 1;
    g.kernel_h = random.integer(2, 4);
    g.kernel_w = random.chance(0.1) ? 2 : 1;
    g.dilation_h = random.integer(1, 3);
    g.stride_h = random.chance(0.1) ? 2 : 1;
    g.stride_w = random.chance(0.1) ? 2 : 1;
    g.pad_top = random.chance(0.1) ? 1 : 0;
    g.pad_bottom = random.chance(0.1) ? 1 : 0;
    g.pad_left = random.chance(0.1) ? 1 : 0;
    g.width = random.integer(1, 18) + 1;
    g.height = room(random, g.kernel_h, g.dilation_h);
    const Tensor x = random_floats(random, {g.batch, g.channels, g.height, g.width});
    const Tensor w = random_floats(random, {g.outputs, g.channels / g.group, g.kernel_h, g.kernel_w});
    const NodeRun run{.op_type = "Conv", .attributes = attributes_of({.geometry = g}), .inputs = {x, w}};
    expect_close(run_one(run, {.threads = 1 + round % 2}), {g.batch, g.outputs, g.out_h(), g.out_w()},
                 oracle::float_conv(g, floats(x), floats(w), {}), 2e-5);
    if (HasFatalFailure()) {
      return;
    }
  }
}

Tensor part(const std::string& op_type, const AttributeMap& attributes, const std::vector<Tensor>& inputs) {
  return run_one({.op_type = op_type, .attributes = attributes, .inputs = inputs});
}

// com.microsoft.FusedConv is Conv, Add and the activation one after the other.
TEST(Conv, FusedConvIsItsParts) {
  Random random(15);
  struct Row {
    const char* activation;
    std::vector<float> parameters;
    AttributeMap attributes;
  };
  const std::vector<Row> rows = {{"", {}, {}},
                                 {"Relu", {}, {}},
                                 {"LeakyRelu", {0.3F}, {{"alpha", 0.3F}}},
                                 {"Clip", {0.25F, 2.0F}, {{"min", 0.25F}, {"max", 2.0F}}},
                                 {"Clip", {2.0F, 0.25F}, {{"min", 2.0F}, {"max", 0.25F}}},
                                 {"HardSigmoid", {0.3F, 0.4F}, {{"alpha", 0.3F}, {"beta", 0.4F}}},
                                 {"Tanh", {}, {}}};
  for (int round = 0; round < 140; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const Row& row = rows[static_cast<std::size_t>(round) % rows.size()];
    const ConvCase c = random_case(random);
    const ConvGeometry& g = c.geometry;
    const Tensor x = random_floats(random, spatial(c, {g.batch, g.channels}, g.height, g.width));
    const Tensor w = random_floats(random, spatial(c, {g.outputs, g.channels / g.group}, g.kernel_h, g.kernel_w));
    const Tensor bias = c.has_bias ? random_floats(random, {g.outputs}) : Tensor();
    std::vector<Tensor> inputs = {x, w, bias};
    Tensor expected = part("Conv", attributes_of(c), c.has_bias ? inputs : std::vector<Tensor>{x, w});
    if (random.chance(0.6)) {  // at times one that broadcasts
      inputs.push_back(random_floats(random, random.chance(0.8) ? expected.shape() : Shape{1}));
      expected = part("Add", {}, {expected, inputs[3]});
    }
    if (*row.activation != 0) {
      NodeRun activation{.op_type = row.activation, .attributes = row.attributes, .inputs = {expected}, .opset = 10};
      expected = run_one(activation);
    }
    AttributeMap attributes = attributes_of(c);
    attributes["activation"] = std::string(row.activation);
    attributes["activation_params"] = row.parameters;
    const Tensor y =
        run_one({.op_type = "FusedConv", .domain = kMicrosoftDomain, .attributes = attributes, .inputs = inputs},
                {.threads = 1 + round % 2});
    expect_close(y, expected.shape(), expected.to_doubles(), 2e-6);
    if (HasFatalFailure()) {
      return;
    }
  }
}

// More images than one call of the primitive takes.
TEST(Conv, SplitsLargeBatches) {
  Random random(3);
  ConvGeometry g{.batch = 7, .channels = 16, .height = 40, .width = 40, .outputs = 24, .kernel_h = 3, .kernel_w = 3};
  const Tensor x = random_floats(random, {7, 16, 40, 40});
  const Tensor w = random_floats(random, {24, 16, 3, 3});
  const auto expected = oracle::float_conv(g, floats(x), floats(w), {});
  expect_close(run_one({.op_type = "Conv", .inputs = {x, w}}), {7, 24, 38, 38}, expected, 1e-4);
}

TEST(Conv, PadsAutomatically) {
  Random random(4);
  const Tensor x = random_floats(random, {1, 2, 5, 6});
  const Tensor w = random_floats(random, {3, 2, 2, 3});
  ConvGeometry g{.channels = 2, .height = 5, .width = 6, .outputs = 3, .kernel_h = 2, .kernel_w = 3, .stride_w = 2};
  for (const auto& [name, top, left] : {std::tuple{"SAME_UPPER", 0, 0}, std::tuple{"SAME_LOWER", 1, 1}}) {
    g.pad_top = top;
    g.pad_bottom = 1 - top;
    g.pad_left = left;
    g.pad_right = 1 - left;
    const NodeRun run{
        .op_type = "Conv", .attributes = {{"auto_pad", std::string(name)}, {"strides", Ints{1, 2}}}, .inputs = {x, w}};
    expect_close(run_one(run), {1, 3, 5, 3}, oracle::float_conv(g, floats(x), floats(w), {}), 1e-5);
  }
}

// One operator sees several shapes and weights that are no constants.
TEST(Conv, KeepsPrimitivesPerShape) {
  Random random(5);
  const auto op = operator_without_constants("Conv");
  EXPECT_EQ(op->kernel().kernel, "onednn");
  for (int round = 0; round < 40; ++round) {  // more shapes than are kept
    ConvGeometry g{.channels = 3, .height = 4 + round % 20, .width = 5, .outputs = 4, .kernel_h = 2, .kernel_w = 2};
    const std::vector<Tensor> inputs = {random_floats(random, {1, 3, g.height, 5}),
                                        random_floats(random, {4, 3, 2, 2})};
    runtime::RunContext context{.inputs = inputs};
    const auto outputs = test::run_operator(*op, context).value();
    expect_close(outputs[0], {1, 4, g.out_h(), 4}, oracle::float_conv(g, floats(inputs[0]), floats(inputs[1]), {}),
                 1e-5);
    EXPECT_EQ(context.multiply_accumulates, 4 * g.out_h() * 4 * 3 * 4);
  }
  EXPECT_TRUE(op->kernel().kernel.starts_with("onednn:")) << op->kernel().kernel;
  EXPECT_EQ(op->kernel().arithmetic, "float32");
}

// oneDNN's primitives that want working memory do not tie a session to the thread that ran it first.
TEST(Conv, RunsInAnyThread) {
  Random random(16);
  const Tensor x = random_floats(random, {1, 16, 8, 8});
  const Tensor w = random_floats(random, {8, 16, 3, 3});
  Graph graph;
  graph.opsets = {{"", 13}};
  graph.initializers["w"] = w;
  Node node;
  node.op_type = "Conv";
  node.inputs = {"x", "w"};
  node.outputs = {"y"};
  node.attributes = {{"pads", Ints{0, 3, 0, 0}}};  // wider than the fastest kernels take
  graph.nodes = {node};
  const auto op =
      runtime::prepare_operator({.graph = graph, .node = graph.nodes[0], .profile = {}, .features = host_features()})
          .value();
  const std::vector<Tensor> inputs = {x, w};
  Tensor first;
  Tensor second;
  const auto run = [&](Tensor& y) {
    runtime::RunContext context{.inputs = inputs};
    y = test::run_operator(*op, context).value()[0];
  };
  std::thread(run, std::ref(first)).join();
  std::thread(run, std::ref(second)).join();
  EXPECT_TRUE(bytes_equal(first, second));
}

TEST(Conv, FollowsWeightsThatChange) {
  Random random(13);
  const ConvGeometry g{.channels = 16, .height = 6, .width = 6, .outputs = 16, .kernel_h = 3, .kernel_w = 3};
  const Tensor x = random_floats(random, {1, 16, 6, 6});
  const auto op = operator_without_constants("Conv");
  for (int round = 0; round < 3; ++round) {
    const std::vector<Tensor> inputs = {x, random_floats(random, {16, 16, 3, 3})};
    runtime::RunContext context{.inputs = inputs};
    expect_close(test::run_operator(*op, context).value()[0], {1, 16, 4, 4},
                 oracle::float_conv(g, floats(x), floats(inputs[1]), {}), 1e-4);
  }
}

TEST(Conv, TakesEmptyTensors) {
  const Tensor w = Tensor::from<float>({2, 1, 1}, {1, 2});
  const Tensor bias = Tensor::from<float>({2}, {5, 6});
  const Tensor no_images = Tensor::allocate(DType::kFloat32, {0, 1, 3}).value();
  EXPECT_EQ(run_one({.op_type = "Conv", .inputs = {no_images, w, bias}}).shape(), (Shape{0, 2, 3}));
  const Tensor no_width = Tensor::allocate(DType::kFloat32, {1, 1, 0}).value();
  const Tensor y = run_one({.op_type = "Conv", .attributes = {{"pads", Ints{1, 1}}}, .inputs = {no_width, w, bias}});
  EXPECT_EQ(floats(y), (std::vector<float>{5, 5, 6, 6}));
}

TEST(Conv, RefusesOperandsThatDoNotFit) {
  const auto zeros = [](const Shape& shape) { return Tensor::allocate(DType::kFloat32, shape).value(); };
  const Tensor x = zeros({1, 4, 5, 5});
  const auto message = [&](const Tensor& image, const Tensor& w, const Tensor& bias, Index group) {
    return refusal({.op_type = "Conv", .attributes = {{"group", group}}, .inputs = {image, w, bias}});
  };
  EXPECT_EQ(message(x, zeros({2, 3, 3, 3}), {}, 1), "X must have group * W's dimension 1 = 1 * 3 channels; found 4");
  EXPECT_EQ(message(x, zeros({3, 2, 3, 3}), {}, 2), "W's dimension 0 must be a multiple of group 2; found 3");
  EXPECT_EQ(message(x, zeros({2, 4, 3, 3}), zeros({3}), 1), "B must have the shape [2]; found [3]");
  EXPECT_EQ(message(x, zeros({2, 4}), {}, 1),
            "X [N, C, ...], W [M, C / group, ...] and B [M] do not fit with group 1: found [1,4,5,5], [2,4] and []");
  EXPECT_EQ(message(Tensor::allocate(DType::kInt8, {1, 4, 5, 5}).value(), zeros({2, 4, 3, 3}), {}, 1),
            "X must not have the type int8");
  EXPECT_EQ(message(x, zeros({2, 4, 3, 3}), {}, 0), "Conv node 'node' (opset 13): group must be at least 1; found 0");
}

// Pads that make an output beyond any memory are refused before it is asked for.
TEST(Conv, RefusesHugeOutputs) {
  const Tensor x = Tensor::allocate(DType::kFloat32, {1, 1, 1, 1}).value();
  const Index pad = 2147483647;
  const auto outcome =
      run_node({.op_type = "Conv", .attributes = {{"pads", Ints{pad, pad, pad, pad}}}, .inputs = {x, x}}, {});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().kind, ErrorKind::kUnsupported) << outcome.error().message;
}

}  // namespace
}  // namespace assay::test
