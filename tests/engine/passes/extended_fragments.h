// SPDX-License-Identifier: Apache-2.0
// What the passes of level `extended` work on.
#pragma once

#include "tests/engine/passes/basic_fragments.h"

namespace assay::test {

// A value that is dequantized; the parameters are the caller's to keep.
inline std::string dequantized(GraphGenerator& g, const Shape& shape, const QuantParams& params) {
  const std::string value = g.pair(g.input(g.random_floats(shape, -4.5F, 4.5F), g.chance(0.2)), params);
  g.maybe_expose(value);
  return value;
}

// Other parameters now and then, so that what wants equal ones meets unequal ones.
inline QuantParams same_or_other(GraphGenerator& g, const QuantParams& params, double same = 0.75) {
  if (g.chance(same)) {
    return params;
  }
  return g.parameters(g.chance(0.5) ? params.dtype : g.byte_type(), 3);
}

// x [-> Relu or Clip] -> Q -> DQ -> output
inline void quantized_output(GraphGenerator& g, std::string x, const QuantParams& params, const Bound& bound,
                             bool may_clamp = true) {
  g.maybe_expose(x, kFloatRounding);
  const Index clamp = may_clamp ? g.integer(0, 3) : 0;
  if (clamp == 1) {
    x = g.node("Relu", {x});
  } else if (clamp == 2) {
    x = g.node("Clip", {x, g.constant(Tensor::scalar(-1.0F)), g.constant(Tensor::scalar(g.random().uniform(0, 3)))});
  }
  if (clamp > 0) {
    g.maybe_expose(x, kFloatRounding, 0.05);
  }
  g.output(g.pair(x, params), bound);
}

// One pair right after another: merge_double_qdq may make one of them.
inline Bound two_pairs(const QuantParams& first, const QuantParams& second) {
  const bool equal = first.scale == second.scale && first.zero_point == second.zero_point;
  return equal || first.dtype != second.dtype
             ? kEqual
             : Bound{.absolute = static_cast<double>(first.scale + second.scale) * 1.0001};
}

inline void signed_activation_fragment(GraphGenerator& g) {
  const QuantParams params = g.parameters(g.chance(0.8) ? DType::kInt8 : DType::kUint8, 4);
  const std::string q = g.quantize(g.source(kImage), params);
  if (g.chance(0.1)) {
    g.output(g.dequantize(q, params));
  }
  const std::string x = g.dequantize(q, params);
  g.maybe_expose(x);
  const QuantParams out = g.parameters(DType::kInt8, 3);
  g.output(g.pair(random_unary(g, x), out), one_step(out));
}

inline AttributeMap small_window(GraphGenerator& g) {
  return {{"kernel_shape", std::vector<Index>{2, 3}}, {"pads", std::vector<Index>{0, g.integer(0, 1), 1, 1}}};
}

// An operator that moves elements of an image; `all`: those that drop_qdq_movement alone takes too.
inline std::string random_movement(GraphGenerator& g, const std::string& x, bool all) {
  switch (g.integer(0, all ? 16 : 8)) {
    case 0:
      return g.node("MaxPool", {x}, small_window(g));
    case 1:
      return g.node("Reshape", {x, g.indices({2, -1})});
    case 2:
      return random_transpose(g, x);
    case 3:
      return g.node("Flatten", {x});
    case 4:
      return g.node("Unsqueeze", {x, g.indices({1})});
    case 5:
      return g.node("Squeeze", {g.node("Unsqueeze", {x, g.indices({1})}), g.indices({1})});
    case 6:
      return g.node("Slice", {x, g.indices({1}), g.indices({4}), g.indices({2}), g.indices({g.integer(1, 2)})});
    case 7:
      return g.node("DepthToSpace", {x}, {{"blocksize", Index{2}}});
    case 8:
      return g.node("SpaceToDepth", {g.node("Slice", {x, g.indices({0}), g.indices({4}), g.indices({2})})},
                    {{"blocksize", Index{2}}});
    case 9:
      return g.node("Expand", {x, g.indices({2, 1, 1, 1, 1})});
    case 10:
      return g.node("Gather", {x, g.indices({1, 0, -1})}, {{"axis", g.integer(1, 3)}});
    case 11:
      return g.node("GatherElements", {x, g.constant(Tensor::from<Index>({1, 1, 1, 3}, {0, 1, 0}))},
                    {{"axis", Index{1}}});
    case 12:
      return g.node(g.one_of<std::string>({"ReduceMax", "ReduceMin"}), {x}, {{"axes", std::vector<Index>{1, 3}}});
    case 13:
      return g.node("Tile", {x, g.indices({1, 2, 1, 1})});
    case 14:
    case 15: {
      std::vector<std::string> inputs = {x, g.indices({0, 0, 1, 0, 0, 1, 0, 2})};
      const std::string mode = g.one_of<std::string>({"constant", "edge", "reflect"});
      if (mode == "constant" && g.chance(0.7)) {
        inputs.push_back(g.constant(Tensor::scalar(g.random().uniform(-5, 5))));
      }
      return g.node("Pad", inputs, {{"mode", mode}});
    }
    default:
      return g.node("Resize", {x, "", g.constant(Tensor::from<float>({4}, {1, 1, 2, 1.5F}))},
                    {{"mode", g.one_of<std::string>({"nearest", "nearest", "linear"})},
                     {"coordinate_transformation_mode", g.one_of<std::string>({"asymmetric", "half_pixel"})}});
  }
}

inline void propagation_fragment(GraphGenerator& g) {
  const QuantParams params = g.parameters(g.byte_type(), 4);
  std::string x = g.chance(0.7) ? dequantized(g, kImage, params) : random_unary(g, g.source(kImage));
  x = random_movement(g, x, false);
  g.maybe_expose(x);
  g.output(g.chance(0.7) ? g.pair(x, same_or_other(g, params)) : random_unary(g, x));
}

inline void movement_fragment(GraphGenerator& g) {
  const QuantParams params = g.parameters(g.byte_type(), 4);
  const std::string x = dequantized(g, kImage, params);
  const bool moves = g.chance(0.8);
  const QuantParams out = same_or_other(g, params);
  quantized_output(g, moves ? random_movement(g, x, true) : x, out, moves ? kEqual : two_pairs(params, out), !moves);
}

inline void split_fragment(GraphGenerator& g) {
  const QuantParams params = g.parameters(g.byte_type(), 4);
  const auto parts = g.nodes("Split", {dequantized(g, kImage, params), g.indices({1, 3})}, 2, {{"axis", Index{1}}});
  for (const std::string& part : parts) {
    quantized_output(g, part, same_or_other(g, params, 0.9), kEqual, g.chance(0.1));
  }
}

inline void extreme_fragment(GraphGenerator& g) {
  const std::string x = g.chance(0.9) ? dequantized(g, kImage, g.parameters(g.byte_type(), 1)) : g.source(kImage);
  g.output(g.node(g.one_of<std::string>({"ArgMax", "ArgMin"}), {x},
                  {{"axis", g.integer(0, 3)}, {"select_last_index", Index{g.chance(0.5)}}}));
}

inline void conv_fragment(GraphGenerator& g) {
  const QuantParams in = g.parameters(g.byte_type(), 4);
  const QuantParams out = g.parameters(g.byte_type(), 6);
  const Index groups = g.one_of<Index>({1, 1, 2, 4});
  const std::string x = dequantized(g, kImage, in);
  const auto weight = g.weight({4, 4 / groups, 3, 2}, g.chance(0.8) ? 0 : -1);
  std::vector<std::string> inputs = {x, weight.value};
  const Index bias = g.integer(0, 3);
  if (bias == 1) {
    inputs.push_back(g.floats({4}, -1, 1));
  } else if (bias == 2) {
    std::vector<float> scales = weight.scales;
    for (float& scale : scales) {
      scale *= in.scale * (g.chance(0.05) ? 1.5F : 1);
    }
    const Shape shape = scales.size() == 1 ? Shape{} : Shape{4};
    inputs.push_back(
        g.node("DequantizeLinear",
               {g.constant(g.random_integers(DType::kInt32, {4}, -500, 500)), g.constant(Tensor::from(shape, scales))},
               {{"axis", Index{0}}}));
  }
  const std::string y = g.node("Conv", inputs, {{"group", groups}, {"pads", std::vector<Index>{1, 0, 1, 1}}});
  quantized_output(g, y, out, one_step(out));
}

inline void matmul_fragment(GraphGenerator& g) {
  const QuantParams in = g.parameters(g.byte_type(), 4);
  const QuantParams out = g.parameters(g.byte_type(), 4);
  const std::string a = dequantized(g, g.one_of<Shape>({{3, 8}, {2, 3, 8}}), in);
  const std::string b = g.chance(0.8) ? g.weight({8, 5}, g.integer(0, 2) - 1).value
                                      : dequantized(g, {8, 5}, g.parameters(g.byte_type(), 2));
  const std::string y = g.node("MatMul", {a, b});
  if (g.chance(0.3)) {
    return g.output(y, kFloatRounding);
  }
  quantized_output(g, y, out, one_step(out));
}

inline void gemm_fragment(GraphGenerator& g) {
  const QuantParams in = g.parameters(g.byte_type(), 4);
  const QuantParams out = g.parameters(g.byte_type(), 4);
  const bool transposed = g.chance(0.5);
  std::vector<std::string> inputs = {dequantized(g, kMatrix, in)};
  inputs.push_back(g.weight(transposed ? Shape{5, 8} : Shape{8, 5}, g.integer(0, 2) - 1).value);
  AttributeMap attributes = {{"transB", Index{transposed}}, {"alpha", g.chance(0.8) ? 1.0F : 0.5F}};
  if (g.chance(0.6)) {
    inputs.push_back(g.floats(g.one_of<Shape>({{5}, {1, 5}, {1}}), -1, 1));
    attributes["beta"] = g.chance(0.9) ? 1.0F : 2.0F;
  }
  const std::string y = g.node("Gemm", inputs, attributes);
  if (g.chance(0.3)) {
    return g.output(y, kFloatRounding);
  }
  quantized_output(g, y, out, one_step(out));
}

inline void elementwise_fragment(GraphGenerator& g) {
  const DType dtype = g.byte_type();
  const QuantParams a = g.parameters(dtype, 4);
  const QuantParams b = g.parameters(g.chance(0.9) ? dtype : g.byte_type(), 3);
  const QuantParams out = g.parameters(dtype, 6);
  const std::string left = dequantized(g, kImage, a);
  const std::string right = g.chance(0.2) ? left : dequantized(g, g.one_of<Shape>({kImage, {1, 4, 1, 1}, {6}}), b);
  quantized_output(g, g.node(g.one_of<std::string>({"Add", "Mul"}), {left, right}), out, one_step(out));
}

inline void pool_fragment(GraphGenerator& g) {
  const QuantParams in = g.parameters(g.byte_type(), 4);
  const QuantParams out = g.parameters(g.chance(0.9) ? in.dtype : g.byte_type(), 3);
  const std::string x = dequantized(g, kImage, in);
  AttributeMap attributes = small_window(g);
  attributes["count_include_pad"] = Index{g.chance(0.5)};
  const std::string y = g.chance(0.5) ? g.node("GlobalAveragePool", {x}) : g.node("AveragePool", {x}, attributes);
  quantized_output(g, y, out, one_step(out));
}

inline void unary_fragment(GraphGenerator& g) {
  const QuantParams in = g.parameters(g.byte_type(), 4);
  const QuantParams out = g.parameters(g.chance(0.9) ? in.dtype : g.byte_type(), 2);
  const std::string x = dequantized(g, kImage, in);
  std::string y = g.node("Sigmoid", {x});
  if (const Index kind = g.integer(0, 2); kind > 0) {
    y = kind == 1 ? g.node("LeakyRelu", {x}, {{"alpha", 0.125F}}) : g.node("Softmax", {x}, {{"axis", g.integer(1, 3)}});
  }
  quantized_output(g, y, out, one_step(out));
}

inline void lookup_fragment(GraphGenerator& g) {
  const QuantParams in = g.parameters(g.byte_type(), 4);
  const QuantParams out = g.parameters(g.byte_type(), 3);
  std::string x = dequantized(g, kImage, in);
  const std::string start = x;
  bool is_product = false;  // a Mul alone, which fuse_qdq_elementwise takes with Relu behind it
  for (Index i = g.integer(1, 3); i > 0; --i) {
    const Index kind = g.integer(0, 3);
    std::string op = "Mul";
    if (kind == 0) {
      is_product = x == start;
      x = g.node(op, {x, start});
    } else if (kind == 1) {
      op = "Add";
      x = g.node(op, {x, g.floats(g.chance(0.9) ? Shape{} : Shape{6}, -1, 1)});
    } else {
      op = g.one_of<std::string>({"Tanh", "Erf", "HardSwish", "Sigmoid", "LeakyRelu", "Relu"});
      x = g.node(op, {x});
    }
    is_product = is_product && (op == "Mul" || op == "Relu");
    g.maybe_expose(x, kEqual, 0.05);
  }
  g.output(g.pair(x, out), is_product ? one_step(out) : kEqual);
}

inline void concat_fragment(GraphGenerator& g) {
  const DType dtype = g.byte_type();
  std::vector<std::string> inputs;
  for (Index i = g.integer(1, 3); i >= 0; --i) {
    inputs.push_back(dequantized(g, kImage, g.parameters(g.chance(0.95) ? dtype : g.byte_type(), 3)));
  }
  quantized_output(g, g.node("Concat", inputs, {{"axis", Index{1}}}), g.parameters(dtype, 4), kEqual);
}

inline void where_fragment(GraphGenerator& g) {
  const DType dtype = g.byte_type();
  const std::string condition = g.node("Greater", {g.source(kImage, false), g.floats({}, -1, 1)});
  const auto branch = [&] {
    if (g.chance(0.2)) {
      return g.floats(g.one_of<Shape>({{}, {1}, {1, 1, 1, 1}, {6}}), -4, 4);
    }
    return dequantized(g, g.one_of<Shape>({kImage, {1, 4, 1, 1}}),
                       g.parameters(g.chance(0.95) ? dtype : g.byte_type(), 3));
  };
  const std::string left = branch();
  quantized_output(g, g.node("Where", {condition, left, branch()}), g.parameters(dtype, 4), kEqual);
}

inline void redundant_fragment(GraphGenerator& g) {
  const QuantParams params = g.parameters(g.byte_type(), 4);
  const QuantParams next = same_or_other(g, params);
  g.output(g.pair(dequantized(g, kImage, params), next), two_pairs(params, next));
}

// QLinearConv, QLinearMatMul or QGemm, then Relu or Clip on its integers.
inline void integer_clamp_fragment(GraphGenerator& g) {
  const QuantParams in = g.parameters(DType::kUint8, 4);
  const QuantParams out = g.parameters(g.byte_type(), 5);
  const auto scale = [&](float value) { return g.constant(Tensor::scalar(value)); };
  const auto zero = [&](const QuantParams& of) { return g.constant(integers(of.dtype, {}, {of.zero_point})); };
  const QuantParams weights = {.scale = 0.01F, .zero_point = 0, .dtype = DType::kInt8};
  const bool is_conv = g.chance(0.5);
  const Shape shape = is_conv ? kImage : kMatrix;
  const std::string x = g.input(g.random_integers(DType::kUint8, shape, 0, 255));
  const std::string w = g.constant(g.random_integers(DType::kInt8, is_conv ? Shape{3, 4, 2, 2} : Shape{8, 5}, -90, 90));
  std::vector<std::string> inputs = {x, scale(in.scale), zero(in), w, scale(weights.scale), zero(weights)};
  std::string y;
  if (!is_conv && g.chance(0.5)) {
    inputs.insert(inputs.end(), {"", scale(out.scale), zero(out)});
    y = g.node("QGemm", inputs, {}, kMicrosoftDomain);
  } else {
    inputs.insert(inputs.end(), {scale(out.scale), zero(out)});
    y = g.node(is_conv ? "QLinearConv" : "QLinearMatMul", inputs);
  }
  g.maybe_expose(y);
  const Index low = g.integer(out.zero_point - 20, out.zero_point);
  for (Index i = g.integer(1, 2); i > 0; --i) {
    const IntegerRange range = dtype_integer_range(out.dtype);
    const auto bound = [&](Index value) {
      return g.constant(integers(out.dtype, {}, {std::clamp(value, range.min, range.max)}));
    };
    y = g.chance(0.3) ? g.node("Relu", {y}) : g.node("Clip", {y, bound(low), bound(low + g.integer(0, 60))});
  }
  g.output(y);
}

// Integer operators on one value of bytes, constants and one another, some of which no table takes.
inline void byte_function_fragment(GraphGenerator& g) {
  struct Bytes {
    std::string name;
    QuantParams params;
  };
  const auto scalar = [&](const QuantParams& of) { return g.constant(Tensor::scalar(of.scale)); };
  const auto zero = [&](const QuantParams& of) { return g.constant(integers(of.dtype, {}, {of.zero_point})); };
  const DType dtype = g.byte_type();
  const IntegerRange range = dtype_integer_range(dtype);
  const auto parameters = [&] { return g.parameters(dtype, 5); };
  const QuantParams first = parameters();
  std::vector<Bytes> values = {{g.input(g.random_integers(dtype, kImage, range.min, range.max)), first}};
  for (Index i = g.integer(1, 8); i > 0; --i) {
    const Bytes x = g.chance(0.7) ? values.back() : values.front();
    const QuantParams out = parameters();
    if (g.chance(0.3)) {
      const std::string low = g.constant(integers(dtype, {}, {x.params.zero_point}));
      values.push_back({g.chance(0.3) ? g.node("Relu", {x.name}) : g.node("Clip", {x.name, low}), x.params});
    } else if (g.chance(0.2)) {
      values.push_back(
          {g.node(g.one_of<std::string>({"QLinearSigmoid", "QLinearLeakyRelu"}),
                  {x.name, scalar(x.params), zero(x.params), scalar(out), zero(out)}, {}, kMicrosoftDomain),
           out});
    } else {
      const QuantParams of_constant = parameters();
      const Shape shape = g.one_of<Shape>({{}, {}, {1}, {1, 1, 1, 1}, {6}, {1, 1, 1, 1, 1}});
      const Bytes other = g.chance(0.6)
                              ? Bytes{g.constant(g.random_integers(dtype, shape, range.min, range.max)), of_constant}
                              : values.front();
      std::vector<Bytes> both = {x, other};
      if (g.chance(0.3)) {
        std::swap(both[0], both[1]);
      }
      values.push_back({g.node(g.one_of<std::string>({"QLinearAdd", "QLinearMul"}),
                               {both[0].name, scalar(both[0].params), zero(both[0].params), both[1].name,
                                scalar(both[1].params), zero(both[1].params), scalar(out), zero(out)},
                               {}, kMicrosoftDomain),
                        out});
    }
    if (g.chance(0.1)) {
      g.maybe_expose(values.back().name);
    }
  }
  g.output(values.back().name);
}

// What dynamic quantization writes; `shared`: two products read one DynamicQuantizeLinear.
inline void dynamic_fragment(GraphGenerator& g) {
  const auto quantized = g.nodes("DynamicQuantizeLinear", {g.source(g.one_of<Shape>({{3, 8}, {2, 3, 8}}))}, 3);
  for (Index i = g.chance(0.3) ? 2 : 1; i > 0; --i) {
    const bool per_column = g.chance(0.5);
    std::vector<std::string> inputs = {quantized[0], g.constant(g.random_integers(DType::kInt8, {8, 5}, -127, 127)),
                                       quantized[2]};
    if (g.chance(0.7)) {
      const Shape shape = per_column ? Shape{5} : Shape{};
      inputs.push_back(g.constant(g.random_integers(DType::kInt8, shape, -3, 3)));
    }
    const std::string sums = g.node("MatMulInteger", inputs);
    g.maybe_expose(sums);
    const bool is_direct = g.chance(0.95);
    std::string y = g.node("Cast", {sums}, {{"to", Index{is_direct ? 1 : 11}}});
    if (!is_direct) {
      y = g.node("Cast", {y}, {{"to", Index{1}}});
    }
    const std::string scale = g.floats(g.one_of<Shape>({per_column ? Shape{5} : Shape{}, {1}, {3, 1}}), 0.005F, 0.02F);
    y = g.node("Mul", {y, g.chance(0.9) ? g.node("Mul", {quantized[1], scale}) : scale});
    g.maybe_expose(y);
    if (g.chance(0.5)) {
      y = g.node("Add", {y, g.floats(g.one_of<Shape>({{5}, {5}, {1}, {3, 1}}), -1, 1)});
    }
    g.output(y);
  }
}

inline void dynamic_matmul_fragment(GraphGenerator& g) {
  const auto quantized = g.nodes("DynamicQuantizeLinear", {g.source(kMatrix)}, 3);
  for (Index i = g.chance(0.2) ? 2 : 1; i > 0; --i) {
    std::vector<std::string> inputs = {quantized[0], g.constant(g.random_integers(DType::kInt8, {8, 5}, -127, 127)),
                                       quantized[1], g.floats(g.chance(0.5) ? Shape{5} : Shape{}, 0.005F, 0.02F),
                                       quantized[2]};
    if (g.chance(0.2)) {
      inputs[2] = g.floats({}, 0.01F, 0.02F);  // another scale than the one it was quantized by
    }
    if (g.chance(0.5)) {
      inputs.push_back(g.chance(0.5) ? "" : g.constant(g.random_integers(DType::kInt8, {}, -3, 3)));
      inputs.push_back(g.floats({5}, -1, 1));
    }
    g.output(g.node("MatMulIntegerToFloat", inputs, {}, kMicrosoftDomain));
  }
}

}  // namespace assay::test
