// SPDX-License-Identifier: Apache-2.0
// What the passes of level `basic` work on.
#pragma once

#include <limits>

#include "tests/engine/passes/graph_generator.h"

namespace assay::test {

inline const Shape kImage = {2, 4, 5, 6};
inline const Shape kMatrix = {3, 8};

inline std::string random_unary(GraphGenerator& g, const std::string& x) {
  return g.node(g.one_of<std::string>({"Relu", "Neg", "Abs", "Sigmoid", "Tanh"}), {x});
}

inline void identity_fragment(GraphGenerator& g) {
  std::string x = g.node("Identity", {g.source(kMatrix)});
  g.maybe_expose(x, kEqual, 0.3);
  x = g.node("Identity", {g.chance(0.5) ? random_unary(g, x) : x});
  g.result(x, kMatrix);
}

inline void dropout_fragment(GraphGenerator& g) {
  std::vector<std::string> inputs = {random_unary(g, g.source(kMatrix))};
  const bool drops_nothing = g.chance(0.5);
  if (g.chance(0.5)) {
    inputs.push_back(g.constant(Tensor::scalar(drops_nothing ? 0.0F : 0.5F)));
    inputs.push_back(g.chance(0.2) ? g.input(Tensor::scalar(false))
                                   : g.constant(Tensor::scalar(drops_nothing && g.chance(0.5))));
  }
  const bool has_mask = g.chance(0.3);
  const auto outputs = g.nodes("Dropout", inputs, has_mask ? 2 : 1);
  if (has_mask && g.chance(0.5)) {
    g.output(g.node("Cast", {outputs[1]}, {{"to", Index{1}}}));
  }
  g.result(outputs[0], kMatrix);
}

inline void double_qdq_fragment(GraphGenerator& g) {
  const DType dtype = g.byte_type();
  const QuantParams first = g.parameters(dtype, g.random().uniform(1, 5));
  QuantParams second =
      g.chance(0.3) ? first : g.parameters(g.chance(0.9) ? dtype : g.byte_type(), g.random().uniform(1, 5));
  const std::string between = g.pair(g.input(g.random_floats(kMatrix, -6, 6)), first);
  g.maybe_expose(between);
  const Bound bound = {.absolute = static_cast<double>(first.scale + second.scale) * 1.0001};
  const std::string quantized = g.quantize(between, second);
  if (g.chance(0.1)) {
    g.output(quantized, {.absolute = 0});
  }
  g.output(g.dequantize(quantized, second), bound);
}

inline void shape_fragment(GraphGenerator& g) {
  const std::string x = random_unary(g, g.source(kImage));
  const auto dim = [&](Index axis) {
    const std::string shape = g.node("Shape", {x});
    return g.node("Unsqueeze", {g.node("Gather", {shape, g.constant(Tensor::scalar(axis))}), g.indices({0})});
  };
  switch (g.integer(0, 3)) {
    case 0: {
      const std::string target = g.node("Concat", {dim(0), g.indices({4, -1})}, {{"axis", Index{0}}});
      return g.output(g.node("Reshape", {x, target}));
    }
    case 1: {
      const std::string rest = g.node("Mul", {dim(1), dim(2)});
      const std::string target = g.node("Concat", {dim(0), rest, dim(3)}, {{"axis", Index{0}}});
      return g.output(g.node("Reshape", {x, target}));
    }
    case 2: {
      const std::string tail = g.node("Slice", {g.node("Shape", {x}), g.indices({1}), g.indices({4})});
      const std::string zeros = g.node("ConstantOfShape", {tail});
      g.maybe_expose(tail);
      return g.output(g.node("Add", {x, zeros}));
    }
    default: {
      const std::string size = g.node("Cast", {g.node("Size", {x})}, {{"to", Index{1}}});
      return g.output(g.node("Mul", {x, size}));
    }
  }
}

inline void constant_fragment(GraphGenerator& g) {
  std::string c = random_unary(g, g.floats({8}, -2, 2));
  g.maybe_expose(c);
  if (g.chance(0.5)) {
    c = g.node("Mul", {c, g.floats({3, 1}, -1, 1)});
  }
  g.result(g.node("Add", {g.source(kMatrix, false), c}), kMatrix);
}

inline void cast_fragment(GraphGenerator& g) {
  constexpr Index kUint8 = 2;
  const std::vector<Index> types = {1, 2, 3, 5, 6, 7, 9, 10, 11, 16};  // TensorProto.DataType
  // Values that every type holds, so that no cast on the way is out of range.
  std::string x = g.node("Round", {g.node("Abs", {g.source(kMatrix)})});
  x = g.node("Cast", {x}, {{"to", g.one_of<Index>({1, kUint8, 6, 7, 9})}});
  for (Index i = g.integer(1, 3); i > 0; --i) {
    x = g.node("Cast", {x}, {{"to", g.one_of(types)}});
    g.maybe_expose(x);
  }
  g.output(g.node("Cast", {x}, {{"to", Index{1}}}));
}

inline void slice_fragment(GraphGenerator& g) {
  std::string x = random_unary(g, g.source(kImage));
  for (Index i = 0; i < 3; ++i) {
    const Index axis = g.integer(0, 3);
    const Index step = g.one_of<Index>({1, 1, 2, -1});
    const Index start = step < 0 ? -1 : g.integer(0, 1);
    const Index end = step < 0 ? -100 : g.one_of<Index>({4, -1, std::numeric_limits<Index>::max()});
    std::vector<std::string> inputs = {x, g.indices({start}), g.indices({end}), g.indices({axis}), g.indices({step})};
    if (axis == 0 && step == 1 && g.chance(0.5)) {
      inputs.resize(3);
    }
    x = g.node("Slice", inputs);
    g.maybe_expose(x);
  }
  g.output(x);
}

inline void pad_fragment(GraphGenerator& g) {
  const Index kind = g.integer(0, 2);  // Conv, AveragePool, MaxPool
  const float nothing = kind == 2 ? -std::numeric_limits<float>::infinity() : 0.0F;
  const float value = g.chance(0.85) ? nothing : 1.5F;
  const Index batch = g.chance(0.1) ? 1 : 0;
  std::vector<std::string> inputs = {g.source(kImage, false),
                                     g.indices({0, 0, g.integer(0, 1), g.integer(0, 1), batch, 0, g.integer(0, 2), 1})};
  if (value != 0 || g.chance(0.5)) {
    inputs.push_back(g.constant(Tensor::scalar(value)));
  }
  const std::string mode = g.chance(0.9) ? "constant" : "edge";
  const std::string padded = g.node("Pad", inputs, {{"mode", mode}});
  g.maybe_expose(padded);
  AttributeMap attributes = {{"pads", std::vector<Index>{g.integer(0, 1), 0, 0, g.integer(0, 1)}}};
  if (g.chance(0.1)) {
    attributes = {{"auto_pad", std::string("SAME_UPPER")}};
  }
  if (kind == 0) {
    return g.output(g.node("Conv", {padded, g.floats({3, 4, 2, 3}, -1, 1)}, attributes), kFloatRounding);
  }
  attributes["kernel_shape"] = std::vector<Index>{g.integer(2, 3), 3};
  attributes["ceil_mode"] = Index{g.chance(0.1)};
  if (kind == 1) {
    attributes["count_include_pad"] = Index{g.chance(0.7)};
  }
  g.output(g.node(kind == 1 ? "AveragePool" : "MaxPool", {padded}, attributes), kFloatRounding);
}

inline std::string float_conv(GraphGenerator& g, const std::string& x, bool constant_weight = true) {
  const Shape shape = {3, 4, 3, 3};
  std::vector<std::string> inputs = {x};
  inputs.push_back(constant_weight ? g.floats(shape, -1, 1) : g.input(g.random_floats(shape, -1, 1)));
  if (g.chance(0.5)) {
    inputs.push_back(g.floats({3}, -1, 1));
  }
  return g.node("Conv", inputs, {{"pads", std::vector<Index>{1, 1, 1, 1}}});
}

inline void normalization_fragment(GraphGenerator& g) {
  const std::string conv = float_conv(g, g.source(kImage), g.chance(0.9));
  g.maybe_expose(conv);
  const std::string y = g.node("BatchNormalization", {conv, g.floats({3}, 0.5F, 2), g.floats({3}, -1, 1),
                                                      g.floats({3}, -1, 1), g.floats({3}, 0.1F, 2)});
  g.output(y, kFloatRounding);
}

inline void affine_fragment(GraphGenerator& g) {
  std::string y = float_conv(g, g.source(kImage), g.chance(0.9));
  for (Index i = g.integer(1, 3); i > 0; --i) {
    g.maybe_expose(y, kFloatRounding);
    const std::string op = g.one_of<std::string>({"Mul", "Add", "Div", "Sub"});
    const Shape shape = g.one_of<Shape>({{3, 1, 1}, {1, 3, 1, 1}, {}, {1}, {6}, {2, 1, 1, 1}});
    std::vector<std::string> inputs = {y, g.floats(shape, 0.5F, 1.5F)};
    if (op != "Div" && g.chance(0.2)) {  // a divisor near 0 would make much of its rounding
      std::swap(inputs[0], inputs[1]);
    }
    y = g.node(op, inputs);
  }
  g.output(y, kFloatRounding);
}

inline void matmul_add_fragment(GraphGenerator& g) {
  const Shape columns = {8, 4};
  const std::string b = g.chance(0.8) ? g.floats(columns, -1, 1) : g.source(columns, false);
  const bool is_stack = g.chance(0.15);
  const std::string product = g.node("MatMul", {is_stack ? g.source({2, 3, 8}) : g.source(kMatrix), b});
  g.maybe_expose(product);
  const Shape shape = g.one_of<Shape>({{4}, {1, 4}, {}, {1}, {3, 1}, {1, 1, 4}});
  std::vector<std::string> inputs = {product, g.chance(0.9) ? g.floats(shape, -1, 1) : g.source(shape, false)};
  if (g.chance(0.3)) {
    std::swap(inputs[0], inputs[1]);
  }
  g.output(g.node("Add", inputs));
}

inline std::string random_transpose(GraphGenerator& g, const std::string& x) {
  AttributeMap attributes = {
      {"perm", g.one_of<std::vector<Index>>({{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 1, 3, 2}, {0, 1, 2, 3}, {3, 2, 1, 0}})}};
  return g.node("Transpose", {x}, g.chance(0.95) ? attributes : AttributeMap());
}

inline void sink_fragment(GraphGenerator& g) {
  const auto perm = g.one_of<std::vector<Index>>({{0, 2, 3, 1}, {0, 3, 1, 2}});
  std::string x = g.node("Transpose", {g.source(kImage)}, {{"perm", perm}});
  g.maybe_expose(x);
  if (g.chance(0.5)) {
    const auto other = g.chance(0.8) ? perm : std::vector<Index>{0, 2, 3, 1};
    std::string y = g.node("Transpose", {g.source(kImage)}, {{"perm", other}});
    if (perm != other) {
      y = g.node("ReduceMax", {y}, {{"axes", std::vector<Index>{1, 2, 3}}});
    }
    return g.output(g.node(g.one_of<std::string>({"Add", "Sub", "Mul", "Max"}), {x, y}));
  }
  for (Index i = g.integer(1, 3); i > 0; --i) {
    x = g.chance(0.6) ? random_unary(g, x)
                      : g.node(g.one_of<std::string>({"Mul", "Add", "Sub"}),
                               {x, g.floats(g.one_of<Shape>({{}, {1}, {1, 1, 1, 1}}), -1, 1)});
    g.maybe_expose(x, kEqual, 0.05);
  }
  g.output(g.chance(0.8) ? random_transpose(g, x) : x);
}

inline void transposes_fragment(GraphGenerator& g) {
  std::string x = random_transpose(g, g.source(kImage));
  for (Index i = g.integer(1, 2); i > 0; --i) {
    g.maybe_expose(x);
    x = random_transpose(g, x);
  }
  g.output(g.chance(0.5) ? random_unary(g, x) : x);
}

inline void flat_transpose_fragment(GraphGenerator& g) {
  const Shape shape = g.one_of<Shape>({{2, 4, 1, 1}, {1, 4, 5, 1}, {2, 1, 5, 1}, {1, 1, 5, 6}});
  g.output(random_unary(g, random_transpose(g, g.source(shape))));
}

inline std::string random_view(GraphGenerator& g, const std::string& x) {
  switch (g.integer(0, 4)) {
    case 0:
      return g.node("Flatten", {x}, {{"axis", g.integer(0, 2)}});
    case 1:
      return g.node("Unsqueeze", {x, g.indices({g.one_of<Index>({0, 1, -1})})});
    case 2:
      return g.node("Reshape", {x, g.indices(g.one_of<std::vector<Index>>({{2, -1}, {-1}, {0, -1}, {2, 4, 30}}))});
    case 3:
      return g.node("Squeeze", {g.node("Unsqueeze", {x, g.indices({0})}), g.indices({0})});
    default:
      return g.node("Reshape", {g.node("Reshape", {x, g.indices({2, 1, -1})}), g.indices({-1, 0, 120})});
  }
}

inline void views_fragment(GraphGenerator& g) {
  std::string x = random_view(g, g.source(kImage));
  for (Index i = g.integer(1, 3); i > 0; --i) {
    g.maybe_expose(x);
    // Two dimensions at least, so that every view fits.
    x = random_view(g, g.node("Reshape", {x, g.indices({2, -1})}));
  }
  g.output(x);
}

inline void no_op_fragment(GraphGenerator& g) {
  std::string x = g.source(kImage);
  for (Index i = g.integer(1, 3); i > 0; --i) {
    const Index other = g.chance(0.2) ? 1 : 0;  // now and then it does something
    switch (g.integer(0, 9)) {
      case 0:
        x = g.node("Cast", {x}, {{"to", Index{1}}});
        break;
      case 1:
        x = g.node("Reshape",
                   {x, g.indices(g.chance(0.5) ? std::vector<Index>{-1, 4, 5, 6} : std::vector<Index>{0, 0, 0, 0})});
        break;
      case 2:
        x = g.node("Expand", {x, g.indices(g.chance(0.5) ? std::vector<Index>{1, 1} : std::vector<Index>{2, 4, 5, 6})});
        break;
      case 3:
        x = g.node("Slice", {x, g.indices({other == 0 ? 0 : -1}), g.indices({other == 0 ? 1000 : -1000}),
                             g.indices({1}), g.indices({other == 0 ? 1 : -1})});
        break;
      case 4:
        x = g.node("Transpose", {x}, {{"perm", std::vector<Index>{0, 1, 2, 3}}});
        break;
      case 5:
        x = g.chance(0.5) ? g.node("Concat", {x}, {{"axis", Index{1}}})
                          : g.node(g.one_of<std::string>({"Sum", "Max", "Min"}), {x});
        break;
      case 6:
        x = g.node("Pad", {x, g.indices({0, 0, 0, 0, 0, 0, 0, 0})});
        break;
      case 7:
        x = g.node("Tile", {x, g.indices({1, 1, 1, 1})});
        break;
      case 8:
        x = g.node(g.one_of<std::string>({"Mul", "Div"}), {x, g.constant(Tensor::scalar(other == 0 ? 1.0F : 1.25F))});
        break;
      default:
        x = g.node(
            "Sub",
            {x, g.constant(Tensor::from<float>({1, 4, 1, 1}, std::vector<float>(4, other == 0 ? 0.0F : -0.0F)))});
        break;
    }
    g.maybe_expose(x);
  }
  g.result(random_unary(g, x), kImage);
}

inline void duplicate_fragment(GraphGenerator& g) {
  const std::string x = g.source(kMatrix);
  const std::string op = g.one_of<std::string>({"Relu", "Sigmoid", "LeakyRelu"});
  const auto branch = [&](float value) {
    AttributeMap attributes;
    if (op == "LeakyRelu") {
      attributes["alpha"] = g.chance(0.8) ? 0.25F : 0.125F;
    }
    const std::string y = g.node(op, {x}, attributes);
    g.maybe_expose(y);
    return g.node("Add", {y, g.constant(Tensor::scalar(g.chance(0.8) ? value : value + 1))});
  };
  const std::string left = branch(0.5F);
  const std::string right = branch(0.5F);
  g.result(g.node("Sub", {g.node("Mul", {left, right}), left}), kMatrix);
}

}  // namespace assay::test
