// SPDX-License-Identifier: Apache-2.0
// Random quantized graphs: what the rewrites may change, and what they may not.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/passes/qdq_builder.h"
#include "tests/engine/passes/session_support.h"
#include "tests/support/random.h"

namespace assay::test {
namespace {

constexpr Index kChannels = 4;
const Shape kInput = {2, kChannels, 6, 6};

Tensor random_floats(Random& random, const Shape& shape, float low, float high) {
  std::vector<float> values(static_cast<std::size_t>(element_count(shape).value()));
  for (float& value : values) {
    value = random.uniform(low, high);
  }
  return Tensor::from(shape, values);
}

Tensor random_integers(Random& random, DType dtype, const Shape& shape, Index low, Index high) {
  std::vector<Index> values(static_cast<std::size_t>(element_count(shape).value()));
  for (Index& value : values) {
    value = random.integer(low, high);
  }
  return integers(dtype, shape, values);
}

QuantParams activation(Random& random, DType dtype, float reach) {
  const bool symmetric = random.chance(0.5);
  const IntegerRange range = dtype_integer_range(dtype);
  const Index middle = (range.min + range.max + 1) / 2;
  return {.scale = reach / 128, .zero_point = symmetric ? middle : middle - random.integer(0, 40), .dtype = dtype};
}

// A random layer between `from` (float, dequantized) and the value it returns (float).
std::string add_layer(QdqBuilder& builder, Random& random, const std::string& from, const std::string& name,
                      const QuantParams& in) {
  const AttributeMap kernel = {{"kernel_shape", std::vector<Index>{2, 2}}, {"pads", std::vector<Index>{0, 0, 1, 1}}};
  const auto layer = random.integer(0, 7);
  if (layer <= 1) {
    const std::vector<float> scales = {0.01F, 0.02F, 0.005F, 0.03F};
    std::vector<float> bias_scales;
    for (const float scale : scales) {
      bias_scales.push_back(scale * in.scale);
    }
    builder.channel_weight(name + "_w", random_integers(random, DType::kInt8, {kChannels, kChannels, 3, 3}, -64, 64),
                           scales, 0);
    builder.channel_weight(name + "_b", random_integers(random, DType::kInt32, {kChannels}, -500, 500), bias_scales, 0);
    builder.node("Conv", name, {from, name + "_w", name + "_b"}, {{"pads", std::vector<Index>{1, 1, 1, 1}}});
    return name;
  }
  if (layer == 2) {
    builder.node("Add", name, {from, from});
  } else if (layer == 3) {
    builder.node("Mul", name, {from, from});
  } else if (layer == 4) {
    builder.node("AveragePool", name, {from}, kernel);
  } else if (layer == 5) {
    builder.node("LeakyRelu", name, {from}, {{"alpha", 0.125F}});
  } else if (layer == 6) {
    builder.node("Sigmoid", name, {from});
  } else {
    builder.node("MaxPool", name, {from}, kernel);
  }
  return name;
}

// x -> Q -> DQ -> layer [-> Relu or Clip] -> Q -> DQ -> y
struct OneLayer {
  Graph graph;
  float output_scale = 1;
};
OneLayer one_layer(Random& random, DType dtype) {
  QdqBuilder builder(14);
  const QuantParams in = activation(random, dtype, 4);
  const QuantParams out = activation(random, dtype, 8);
  builder.input("x", kInput).pair("a", "x", in);
  std::string value = add_layer(builder, random, "a", "layer", in);
  const auto clamp = random.integer(0, 2);
  if (clamp == 1) {
    builder.node("Relu", "clamped", {value});
    value = "clamped";
  } else if (clamp == 2) {
    builder.constant("low", Tensor::scalar(-1.0F)).constant("high", Tensor::scalar(2.5F));
    builder.node("Clip", "clamped", {value, "low", "high"});
    value = "clamped";
  }
  return {.graph = builder.pair("y", value, out).output("y").build(), .output_scale = out.scale};
}

double largest_difference(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.to_doubles();
  const std::vector<double> y = b.to_doubles();
  EXPECT_EQ(x.size(), y.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    largest = std::max(largest, std::fabs(x[i] - y[i]));
  }
  return largest;
}

TEST(RewriteEquality, OneLayerDiffersByAtMostAStep) {
  Random random(21);
  for (int round = 0; round < 120; ++round) {
    const DType dtype = random.chance(0.5) ? DType::kUint8 : DType::kInt8;
    const OneLayer layer = one_layer(random, dtype);
    const api::NamedTensors inputs = {{"x", random_floats(random, kInput, -4.5F, 4.5F)}};
    const RunOutcome none = run_graph(layer.graph, inputs, {.level = api::Optimization::kNone});
    const RunOutcome extended = run_graph(layer.graph, inputs, {.level = api::Optimization::kExtended});
    const double step = static_cast<double>(layer.output_scale);
    ASSERT_LE(largest_difference(none.outputs.at("y"), extended.outputs.at("y")), step * 1.0001)
        << layer.graph.nodes[2].op_type << " in round " << round;
    const Types types = op_types(extended.optimized);
    for (const char* left_in_float : {"Conv", "Add", "Mul", "AveragePool", "LeakyRelu", "Sigmoid"}) {
      EXPECT_EQ(std::count(types.begin(), types.end(), left_in_float), 0) << left_in_float << " in round " << round;
    }
  }
}

// Movement, redundant pairs and identities change nothing, whatever stands around them.
TEST(RewriteEquality, MovementPassesChangeNothing) {
  Random random(22);
  for (int round = 0; round < 60; ++round) {
    const DType dtype = random.chance(0.5) ? DType::kUint8 : DType::kInt8;
    const QuantParams in = activation(random, dtype, 4);
    const QuantParams out = random.chance(0.5) ? in : activation(random, dtype, 3);
    QdqBuilder builder(14);
    builder.input("x", kInput).node("Identity", "i", {"x"}).pair("a", "i", in);
    builder.constant("shape", Tensor::from<std::int64_t>({2}, {2, -1}));
    builder.node("MaxPool", "p", {"a"},
                 {{"kernel_shape", std::vector<Index>{3, 3}}, {"pads", std::vector<Index>{1, 1, 1, 1}}});
    if (random.chance(0.5)) {
      builder.pair("p2", "p", in);
    } else {
      builder.node("Relu", "p2", {"p"});
    }
    builder.node("Transpose", "t", {"p2"}, {{"perm", std::vector<Index>{0, 2, 3, 1}}});
    builder.node("Reshape", "r", {"t", "shape"});
    builder.pair("y", "r", out).output("y");
    if (random.chance(0.3)) {
      builder.node("Sigmoid", "z", {"a"}).output("z");
    }
    const Graph graph = builder.build();
    const api::NamedTensors inputs = {{"x", random_floats(random, kInput, -5, 5)}};
    const RunOutcome none = run_graph(graph, inputs, {.level = api::Optimization::kNone});
    const RunOutcome all = run_graph(graph, inputs, {.disabled = {"fuse_qdq_unary"}});
    ASSERT_TRUE(bytes_equal(none.outputs.at("y"), all.outputs.at("y"))) << "round " << round;
    const GraphIndex index(all.optimized);
    for (const Node& node : all.optimized.nodes) {
      if (node.op_type == "MaxPool" || node.op_type == "Transpose" || node.op_type == "Reshape") {
        const Index maker = index.producer(node.inputs[0]);
        ASSERT_GE(maker, 0);
        EXPECT_NE(all.optimized.nodes[static_cast<std::size_t>(maker)].op_type, "DequantizeLinear") << node.op_type;
      }
    }
  }
}

// The rewrite to u8 by itself changes no value; with fusion the products are those of u8 x s8 saturation.
TEST(RewriteEquality, S8ActivationsAsU8MeanTheSame) {
  Random random(23);
  const std::vector<std::string> fusions = {"drop_qdq_movement",    "qdq_propagation", "fuse_qdq_conv",
                                            "fuse_qdq_elementwise", "fuse_qdq_pool",   "fuse_qdq_unary"};
  for (int round = 0; round < 40; ++round) {
    const OneLayer layer = one_layer(random, DType::kInt8);
    const api::NamedTensors inputs = {{"x", random_floats(random, kInput, -4.5F, 4.5F)}};
    const Profile avx2 = {.isa = Isa::kAvx2, .precision = Precision::kFast};
    std::vector<std::string> without = fusions;
    without.push_back("s8_activation_to_u8");
    const RunOutcome s8 = run_graph(layer.graph, inputs, {.profile = avx2, .disabled = without});
    const RunOutcome u8 = run_graph(layer.graph, inputs, {.profile = avx2, .disabled = fusions});
    ASSERT_TRUE(bytes_equal(s8.outputs.at("y"), u8.outputs.at("y"))) << "round " << round;
  }
}

TEST(RewriteEquality, S8ActivationsSaturateOnlyInFast) {
  QdqBuilder builder(14);
  const QuantParams wide = {.scale = 1.0F, .zero_point = 0, .dtype = DType::kInt8};
  builder.input("x", {1, 2, 1, 1})
      .pair("a", "x", wide)
      .weight("w", {1, 2, 1, 1}, {127, 127}, wide)
      .node("Conv", "c", {"a", "w"})
      .pair("y", "c", {.scale = 400.0F, .zero_point = 0, .dtype = DType::kInt8})
      .output("y");
  const Graph graph = builder.build();
  const api::NamedTensors inputs = {{"x", Tensor::from<float>({1, 2, 1, 1}, {127, 127})}};
  const auto value = [&](Isa isa, Precision precision, std::vector<std::string> disabled = {}) {
    const RunOutcome outcome =
        run_graph(graph, inputs, {.profile = {.isa = isa, .precision = precision}, .disabled = std::move(disabled)});
    return outcome.outputs.at("y").to_doubles()[0];
  };
  // exact: 2 * 127 * 127 = 32258 = 81 steps. As u8: sat16(2 * 255 * 127) - 128 * 254 = 32767 - 32512 = 255 = 1 step.
  EXPECT_EQ(value(Isa::kAvx512Vnni, Precision::kFast), 81 * 400);
  EXPECT_EQ(value(Isa::kAvx2, Precision::kExact), 81 * 400);
  EXPECT_EQ(value(Isa::kAvx2, Precision::kFast), 1 * 400);
  EXPECT_EQ(value(Isa::kAvx512, Precision::kFast), 1 * 400);
  EXPECT_EQ(value(Isa::kAvx2, Precision::kFast, {"s8_activation_to_u8"}), 81 * 400);
}

TEST(RewriteEquality, FoldedBatchNormalizationAgrees) {
  Random random(24);
  for (int round = 0; round < 20; ++round) {
    QdqBuilder builder;
    builder.input("x", kInput)
        .constant("w", random_floats(random, {3, kChannels, 3, 3}, -1, 1))
        .constant("scale", random_floats(random, {3}, 0.5F, 2))
        .constant("shift", random_floats(random, {3}, -1, 1))
        .constant("mean", random_floats(random, {3}, -1, 1))
        .constant("var", random_floats(random, {3}, 0.1F, 2))
        .node("Conv", "c", {"x", "w"})
        .node("BatchNormalization", "y", {"c", "scale", "shift", "mean", "var"})
        .output("y");
    const Graph graph = builder.build();
    const api::NamedTensors inputs = {{"x", random_floats(random, kInput, -1, 1)}};
    const RunOutcome none = run_graph(graph, inputs, {.level = api::Optimization::kNone});
    const RunOutcome basic = run_graph(graph, inputs, {.level = api::Optimization::kBasic});
    EXPECT_EQ(op_types(basic.optimized), Types{"Conv"});
    EXPECT_LE(largest_difference(none.outputs.at("y"), basic.outputs.at("y")), 1e-4);
  }
}

// A float bias is rounded to the accumulator's units: half of one, far below a step.
TEST(RewriteEquality, FloatBiasesStayWithinAStep) {
  Random random(25);
  for (int round = 0; round < 20; ++round) {
    QdqBuilder builder;
    const QuantParams in = activation(random, DType::kUint8, 2);
    const QuantParams out = activation(random, DType::kUint8, 8);
    builder.input("x", {3, 8})
        .pair("a", "x", in)
        .channel_weight("w", random_integers(random, DType::kInt8, {8, 4}, -127, 127), {0.01F, 0.02F, 0.01F, 0.03F}, 1)
        .constant("b", random_floats(random, {4}, -2, 2))
        .node("Gemm", "g", {"a", "w", "b"})
        .pair("y", "g", out)
        .output("y");
    const Graph graph = builder.build();
    const api::NamedTensors inputs = {{"x", random_floats(random, {3, 8}, -2, 2)}};
    const RunOutcome none = run_graph(graph, inputs, {.level = api::Optimization::kNone});
    const RunOutcome all = run_graph(graph, inputs, {});
    EXPECT_EQ(op_types(all.optimized), (Types{"QuantizeLinear", "com.microsoft.QGemm", "DequantizeLinear"}));
    EXPECT_LE(largest_difference(none.outputs.at("y"), all.outputs.at("y")), static_cast<double>(out.scale) * 1.0001);
  }
}

}  // namespace
}  // namespace assay::test
