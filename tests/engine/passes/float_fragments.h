// SPDX-License-Identifier: Apache-2.0
// What the passes work on that fuse float operators.
#pragma once

#include "tests/engine/passes/basic_fragments.h"

namespace assay::test {

inline void extreme_constant_fragment(GraphGenerator& g) {
  const Shape shape = g.one_of<Shape>({{}, {1}, {1, 1, 1, 1}, {6}, {1, 1, 1, 1, 1}});
  std::vector<std::string> inputs = {random_unary(g, g.source(kImage)),
                                     g.chance(0.9) ? g.floats(shape, -1, 1) : g.source(shape, false)};
  if (g.chance(0.3)) {
    std::swap(inputs[0], inputs[1]);
  }
  if (g.chance(0.1)) {
    inputs.push_back(g.source(kImage));
  }
  g.output(g.node(g.one_of<std::string>({"Max", "Min"}), inputs));
}

// One operator that a convolution may take in, or not.
inline std::string random_activation(GraphGenerator& g, const std::string& x) {
  const auto bound = [&](float low, float high) {
    const std::string value = g.floats({}, low, high);
    return g.chance(0.1) ? g.node("Neg", {g.source({}, false)}) : value;
  };
  switch (g.integer(0, 4)) {
    case 0:
      return g.node("Relu", {x});
    case 1:
      return g.node("LeakyRelu", {x}, {{"alpha", g.one_of<float>({0.01F, 0.3F, -0.5F, 1.5F})}});
    case 2:  // also one that lifts 0, which lanes without a channel hold
      return g.node("Clip", {x, bound(-1, 1), bound(g.chance(0.1) ? -3 : 1, 3)});
    case 3:
      return g.node("Clip", {x, g.chance(0.5) ? "" : bound(-2, 2)});
    default:
      return g.node("Abs", {x});
  }
}

// In channel blocks where another convolution reads it.
inline void conv_result(GraphGenerator& g, const std::string& y) {
  if (g.chance(0.5)) {
    g.output(g.node("Conv", {y, g.floats({5, 3, 1, 1}, -1, 1)}), kFloatRounding);
  } else {
    g.output(y, kFloatRounding);
  }
}

inline void conv_add_fragment(GraphGenerator& g) {
  const std::string conv = float_conv(g, g.source(kImage, false), g.chance(0.9));
  g.maybe_expose(conv, kFloatRounding);
  const Shape same = {2, 3, 5, 6};
  std::string other;
  switch (g.integer(0, 3)) {
    case 0:
      other = float_conv(g, g.source(kImage, false));
      break;
    case 1:
      other = g.source(g.chance(0.8) ? same : Shape{1, 3, 1, 1}, false);
      break;
    case 2:
      other = g.chance(0.9) ? g.node("Relu", {float_conv(g, g.source(kImage, false))}) : conv;
      break;
    default:
      other = g.chance(0.8) ? g.node("Abs", {g.source(same, false)}) : g.floats(same, -1, 1);
  }
  std::vector<std::string> inputs = {conv, other};
  if (g.chance(0.3)) {
    std::swap(inputs[0], inputs[1]);
  }
  conv_result(g, g.node("Add", inputs));
}

inline void conv_activation_fragment(GraphGenerator& g) {
  const std::string conv = float_conv(g, g.source(kImage), g.chance(0.9));
  g.maybe_expose(conv, kFloatRounding);
  conv_result(g, random_activation(g, conv));
}

// Operators on one value, constants and one another, some of which no chain takes.
inline void elementwise_chain_fragment(GraphGenerator& g) {
  const bool is_conv = g.chance(0.5);
  std::vector<std::string> values = {is_conv ? float_conv(g, g.source(kImage)) : random_unary(g, g.source(kImage))};
  const Index count = g.integer(1, 20);
  for (Index i = 0; i < count; ++i) {
    const std::string& x = g.chance(0.7)
                               ? values.back()
                               : values[static_cast<std::size_t>(g.integer(0, static_cast<Index>(values.size()) - 1))];
    if (g.chance(0.4)) {
      values.push_back(random_activation(g, x));
    } else {
      const Shape shape = g.one_of<Shape>({{}, {}, {1}, {1, 1, 1, 1}, {6}, is_conv ? Shape{} : Shape{1, 1, 1, 1, 1}});
      std::vector<std::string> inputs = {x, g.chance(0.6) ? g.floats(shape, 0.5F, 2) : values[0]};
      if (g.chance(0.3)) {
        std::swap(inputs[0], inputs[1]);
      }
      values.push_back(g.node(g.one_of<std::string>({"Add", "Sub", "Mul"}), inputs));
    }
    if (g.chance(0.1)) {
      is_conv ? g.maybe_expose(values.back(), kFloatRounding) : g.maybe_expose(values.back());
    }
  }
  if (g.chance(0.3)) {
    values.push_back(g.node("Div", {values.back(), g.floats({}, 0.5F, 2)}));
  }
  is_conv ? conv_result(g, values.back()) : g.output(values.back());
}

inline void integer_pad_fragment(GraphGenerator& g) {
  const QuantParams in = g.parameters(DType::kUint8, 4);
  const QuantParams out = g.parameters(g.byte_type(), 5);
  const auto scalar = [&](const QuantParams& of, Index value) { return g.constant(integers(of.dtype, {}, {value})); };
  const Index padding = g.chance(0.85) ? in.zero_point : (in.zero_point + 1) % 256;
  const Index batch = g.chance(0.1) ? 1 : 0;
  const std::string padded =
      g.node("Pad",
             {g.input(g.random_integers(DType::kUint8, kImage, 0, 255)),
              g.indices({0, 0, g.integer(0, 1), g.integer(0, 1), batch, 0, g.integer(0, 2), 1}), scalar(in, padding)},
             {{"mode", std::string(g.chance(0.9) ? "constant" : "edge")}});
  g.maybe_expose(padded);
  AttributeMap attributes = {{"pads", std::vector<Index>{g.integer(0, 1), 0, 0, g.integer(0, 1)}}};
  if (g.chance(0.1)) {
    attributes = {{"auto_pad", std::string("SAME_UPPER")}};
  }
  const auto scale = [&](float value) { return g.constant(Tensor::scalar(value)); };
  const std::string weights = g.constant(g.random_integers(DType::kInt8, {3, 4, 2, 2}, -90, 90));
  g.output(g.node("QLinearConv",
                  {padded, scale(in.scale), scalar(in, in.zero_point), weights, scale(0.01F),
                   g.constant(Tensor::scalar(std::int8_t{0})), scale(out.scale), scalar(out, out.zero_point)},
                  attributes));
}

}  // namespace assay::test
