// SPDX-License-Identifier: Apache-2.0
#include "harness/diff/model_diff.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/api/quantize.h"
#include "harness/diff/diff_text.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::diff {
namespace {

using assay::test::floats;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

api::Model network(Index stride = 1, bool with_default = false) {
  AttributeMap attributes;
  if (stride != 1 || with_default) {
    attributes["strides"] = std::vector<Index>{stride, stride};
  }
  return api::Model::from_graph(assay::test::GraphBuilder()
                                    .input("x", {1, 2, 4, 4})
                                    .constant("w", floats({2, 2, 1, 1}, {1, -2, 3, 4}))
                                    .node("Conv", "c", {"x", "w"}, attributes)
                                    .node("Sigmoid", "s", {"c"})
                                    .node("Flatten", "y", {"s"})
                                    .output("y", {1, stride == 1 ? 32 : 8})
                                    .build())
      .value();
}

quantizer::Options options(double c_max = 2) {
  quantizer::Options chosen;
  chosen.ranges = {{"x", {-1, 1}}, {"c", {-2, c_max}}, {"s", {0, 1}}, {"y", {0, 1}}};
  return chosen;
}

api::Model quantized(const quantizer::Options& chosen, const api::Model& source = network()) {
  const auto none = [](Index, api::NamedTensors&) { return Result<bool>(false); };
  Result<api::QuantizeResult> result = api::quantize(source, none, chosen);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.value().model;
}

std::vector<std::string> tensors_of(const ModelDiff& diff) {
  std::vector<std::string> names;
  for (const TensorDiff& tensor : diff.tensors) {
    names.push_back(tensor.tensor);
  }
  return names;
}

TEST(CompareModels, AModelEqualsItself) {
  const ModelDiff diff = compare_models(quantized(options()), quantized(options()), {});
  EXPECT_TRUE(diff.equal());
  EXPECT_EQ(diff.tensors_compared, 5U);  // x, w, c, s, and y with the parameters of s
  EXPECT_THAT(render_text(diff, {"a.onnx", "b.onnx"}, 0), HasSubstr("equal: "));
}

TEST(CompareModels, AChangedRangeIsOneTensorWithScaleZeroPointAndRange) {
  const ModelDiff diff = compare_models(quantized(options()), quantized(options(6)), {});
  ASSERT_THAT(tensors_of(diff), ElementsAre("c"));
  const TensorDiff& c = diff.tensors[0];
  EXPECT_NEAR(c.scale.largest, 1.0, 1e-6);  // (6 + 2) / (2 + 2) - 1
  EXPECT_EQ(c.zero_point.largest, 64 - 128);
  EXPECT_FALSE(c.type);
  EXPECT_FALSE(c.layout);
  const auto range = stated_range(*c.after, 0);
  ASSERT_TRUE(range);
  EXPECT_NEAR(range->max - range->min, 8, 1e-5);
  const std::string text = render_text(diff, {"a.onnx", "b.onnx"}, 0);
  EXPECT_THAT(text, HasSubstr("+100 %"));
  EXPECT_THAT(text, HasSubstr("different: 1 tensor (1 changed); largest change of a scale: +100 % in 'c'"));
  const reports::Json json = to_json(diff, {"a.onnx", "b.onnx"}, {});
  EXPECT_EQ(json.at("equal"), false);
  EXPECT_EQ(json.at("tensors")[0].at("differs"), reports::Json::array({"scale", "zero_point", "range"}));
  EXPECT_EQ(json.at("tensors")[0].at("b").at("zero_points"), reports::Json::array({64}));
}

// 0.1 % more range: beyond the default tolerance, within 1 %. The zero point stays.
TEST(CompareModels, ToleranceIsRelativeAndOfScalesAlone) {
  const api::Model before = quantized(options());
  quantizer::Options wider = options();
  wider.ranges["c"] = {-2.002, 2.002};
  const api::Model after = quantized(wider);
  EXPECT_THAT(tensors_of(compare_models(before, after, {})), ElementsAre("c"));
  EXPECT_TRUE(compare_models(before, after, {.scale = 0.01}).equal());
  const ModelDiff moved = compare_models(before, quantized(options(2.05)), {.scale = 1});
  ASSERT_THAT(tensors_of(moved), ElementsAre("c"));
  EXPECT_EQ(moved.tensors[0].scale.count, 0U);
  EXPECT_NE(moved.tensors[0].zero_point.largest, 0);
}

// An infinite scale allows no change, and equals itself; NaN likewise.
TEST(CompareModels, ScalesThatAreNotFiniteHideNoChange) {
  const api::Model plain = quantized(options());
  for (const float value : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Graph graph = plain.graph();
    const auto scale = std::ranges::find_if(graph.initializers, [](const auto& named) {
      return named.second.dtype() == DType::kFloat32 && named.second.size() == 1;
    });
    ASSERT_NE(scale, graph.initializers.end());
    scale->second = Tensor::from<float>(scale->second.shape(), {value});
    const api::Model odd = api::Model::from_graph(graph).value();
    EXPECT_FALSE(compare_models(odd, plain, {}).equal());
    EXPECT_FALSE(compare_models(plain, odd, {}).equal());
    const ModelDiff same = compare_models(odd, odd, {});
    EXPECT_TRUE(same.equal()) << render_text(same, {"a", "b"}, 0);
  }
}

TEST(CompareModels, LargestChangesComeFirst) {
  quantizer::Options changed = options(2.5);
  changed.ranges["x"] = {-8, 8};
  EXPECT_THAT(tensors_of(compare_models(quantized(options()), quantized(changed), {})), ElementsAre("x", "c"));
  changed.activation_type = DType::kInt8;
  const ModelDiff types = compare_models(quantized(options()), quantized(changed), {});
  EXPECT_TRUE(types.tensors[0].type);
}

TEST(CompareModels, LayoutAndValuesOfWeights) {
  quantizer::Options channels = options();
  channels.per_channel = true;
  const ModelDiff diff = compare_models(quantized(options()), quantized(channels), {});
  ASSERT_THAT(tensors_of(diff), ElementsAre("w"));
  EXPECT_TRUE(diff.tensors[0].layout);
  EXPECT_GT(diff.tensors[0].values, 0);
  EXPECT_TRUE(std::isinf(diff.tensors[0].weight));
  quantizer::Options full = options();
  full.weight_range = quantizer::RangeKind::kFull;
  const ModelDiff steps = compare_models(quantized(options()), quantized(full), {.scale = 0.1, .steps = 0});
  EXPECT_THAT(tensors_of(steps), ElementsAre("w"));
  EXPECT_EQ(steps.tensors[0].largest_step, 1);
  EXPECT_TRUE(compare_models(quantized(options()), quantized(full), {.scale = 0.1, .steps = 1}).equal());
}

TEST(CompareModels, AttributesThatRestateWhatIsKnown) {
  struct Row {
    const char* op;
    AttributeMap attributes;
    bool equal;
  };
  const auto one = [](const char* key, Attribute value) { return AttributeMap{{key, std::move(value)}}; };
  for (const Row& row : {
           Row{"Conv", one("kernel_shape", std::vector<Index>{1, 1}), true},
           Row{"Conv", one("auto_pad", std::string("NOTSET")), true},
           Row{"Conv", one("auto_pad", std::string("SAME_UPPER")), false},
           Row{"Conv", one("dilations", std::vector<Index>{1, 1}), true},
           Row{"Conv", one("dilations", std::vector<Index>{1, 2}), false},
           Row{"LeakyRelu", one("alpha", 0.01F), true},
           Row{"LeakyRelu", one("alpha", 0.02F), false},
           Row{"Elu", one("alpha", 1.0F), true},
           Row{"ArgMax", one("select_last_index", Index{0}), true},
           Row{"ArgMax", one("select_last_index", Index{1}), false},
           Row{"Resize", one("mode", std::string("nearest")), true},
           Row{"Resize", one("mode", std::string("linear")), false},
       }) {
    const std::vector<std::string> inputs =
        row.op == std::string("Conv") ? std::vector<std::string>{"x", "w"} : std::vector<std::string>{"x"};
    const auto model = [&](const AttributeMap& attributes) {
      const auto made = api::Model::from_graph(assay::test::GraphBuilder()
                                                   .input("x", {1, 2, 4, 4})
                                                   .constant("w", floats({2, 2, 1, 1}, {1, -2, 3, 4}))
                                                   .node(row.op, "y", inputs, attributes)
                                                   .output("y", {})
                                                   .build());
      EXPECT_TRUE(made.ok()) << row.op << ": " << made.error().message;
      return made.value();
    };
    EXPECT_EQ(compare_models(model({}), model(row.attributes), {}).equal(), row.equal)
        << row.op << " " << row.attributes.begin()->first;
  }
}

TEST(CompareModels, AttributesThatMatter) {
  EXPECT_TRUE(compare_models(network(), network(1, true), {}).equal()) << "strides of 1 are the default";
  const ModelDiff diff = compare_models(network(), network(2), {});
  ASSERT_EQ(diff.nodes.size(), 1U);
  EXPECT_THAT(diff.nodes[0].details, ElementsAre("attribute strides: none -> [2, 2]"));
  EXPECT_THAT(diff.interface, ElementsAre("output 'y': float32 [1, 32] -> float32 [1, 8]"));
  EXPECT_THAT(diff.became, IsEmpty());
}

TEST(CompareModels, NodesAddedRemovedAndOfAnotherOperator) {
  const auto model = [](const char* op, bool relu) {
    assay::test::GraphBuilder builder;
    builder.input("x", {2, 2}).node(op, "a", {"x"});
    if (relu) {
      builder.node("Relu", "y", {"a"});
    } else {
      builder.node("Identity", "y", {"a"});
    }
    return api::Model::from_graph(builder.output("y", {2, 2}).build()).value();
  };
  const ModelDiff other = compare_models(model("Sigmoid", true), model("Tanh", true), {});
  ASSERT_EQ(other.nodes.size(), 1U);
  EXPECT_THAT(other.nodes[0].details, ElementsAre("operator: Sigmoid -> Tanh"));
  const ModelDiff relu = compare_models(model("Tanh", true), model("Tanh", false), {});
  EXPECT_THAT(relu.nodes[0].details, ElementsAre("operator: Relu -> Identity"));
}

TEST(CompareModels, ConstantsThatAreNotQuantized) {
  const auto model = [](float value) {
    return api::Model::from_graph(assay::test::GraphBuilder()
                                      .input("x", {2})
                                      .constant("k", floats({2}, {100, value}))
                                      .node("Mul", "y", {"x", "k"})
                                      .output("y", {2})
                                      .build())
        .value();
  };
  EXPECT_TRUE(compare_models(model(1), model(1.00001F), {}).equal());
  const ModelDiff diff = compare_models(model(1), model(2), {});
  ASSERT_EQ(diff.constants.size(), 1U);
  EXPECT_EQ(diff.constants[0].detail, "1 of 2 values differ, by 1 at most (largest magnitude 100)");
  EXPECT_FALSE(compare_models(model(1), model(NAN), {}).equal());
}

// What was quantized, and that the model is not its original.
TEST(CompareModels, AFloatModelAgainstItsQuantizedOne) {
  quantizer::Options some = options();
  some.nodes_to_exclude = {"s"};
  const ModelDiff diff = compare_models(network(), quantized(some), {});
  ASSERT_EQ(diff.became.size(), 3U);
  EXPECT_EQ(diff.became[0].arithmetic_after, api::NodeArithmetic::kIntegers);
  EXPECT_EQ(diff.became[1].arithmetic_after, api::NodeArithmetic::kFloat);
  EXPECT_FALSE(diff.equal());
  EXPECT_THAT(diff.constants, IsEmpty()) << "the weight became integers";
  const std::string text = render_text(diff, {"f.onnx", "q.onnx"}, 0);
  EXPECT_THAT(text, HasSubstr("3 float nodes: 2 in float, 1 in integers"));
  some.format = quantizer::Format::kQOperator;
  const ModelDiff qoperator = compare_models(network(), quantized(some), {});
  EXPECT_EQ(qoperator.became[0].op_after, "QLinearConv");
  EXPECT_EQ(qoperator.became[0].arithmetic_after, api::NodeArithmetic::kIntegers);
}

TEST(CompareModels, FormatsWithEqualParametersDifferInNodesAlone) {
  quantizer::Options qoperator = options();
  qoperator.format = quantizer::Format::kQOperator;
  const ModelDiff diff = compare_models(quantized(options()), quantized(qoperator), {});
  EXPECT_THAT(tensors_of(diff), IsEmpty());
  EXPECT_FALSE(diff.nodes.empty());
}

TEST(CompareModels, TopLimitsWhatIsListed) {
  quantizer::Options changed = options(7);
  changed.ranges["x"] = {-8, 8};
  const ModelDiff diff = compare_models(quantized(options()), quantized(changed), {});
  const std::string text = render_text(diff, {"a", "b"}, 1);
  EXPECT_THAT(text, HasSubstr("... and 1 more tensors"));
  EXPECT_THAT(text, HasSubstr("\nx "));
  EXPECT_THAT(text, Not(HasSubstr("\nc ")));
}

}  // namespace
}  // namespace assay::diff
