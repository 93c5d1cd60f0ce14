// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/runtime/random_graph.h"

#include <array>
#include <cmath>

#include "tests/engine/runtime/graph_builder.h"
#include "tests/engine/runtime/ops/random_conv.h"

namespace assay::test {
namespace {

// A scale for sums of k products of bytes that spreads the results over the bytes.
float product_scale(Random& random, float scales, Index k) {
  return scales * 140.0F * std::sqrt(static_cast<float>(k)) * random.uniform(0.4F, 2.0F);
}

bool is_image(const Quantized& x) { return x.shape.size() > 2; }

// Weights that QDQ groups fuse with: of s8 activations, s8 ones.
bool weight_sign(Random& random, const GraphBuilder& builder, const Quantized& x) {
  return (builder.qdq() && x.is_signed) || random.chance(0.6);
}

using Stage = Quantized (*)(GraphBuilder&, Random&, const Quantized&);

// From `inputs` in front of them, a QLinear operator of one or two operands, or its QDQ group.
struct Group {
  std::string float_op;
  std::string integer_op;
  AttributeMap attributes = {};
  AttributeMap integer_attributes = {};
  std::string domain = kMicrosoftDomain;  // of integer_op
};
Quantized group_of(GraphBuilder& builder, const Group& group, const std::vector<Quantized>& operands, Quantized y) {
  std::vector<std::string> inputs;
  for (const Quantized& operand : operands) {
    if (builder.qdq()) {
      inputs.push_back(builder.dequantize(operand));
    } else {
      inputs.insert(inputs.end(), {operand.name, builder.scale(operand.scale),
                                   builder.zero_point(operand.zero_point, operand.is_signed)});
    }
  }
  if (builder.qdq()) {
    y.name = builder.quantize(builder.node(group.float_op, inputs, group.attributes), y);
    return y;
  }
  inputs.insert(inputs.end(), {builder.scale(y.scale), builder.zero_point(y.zero_point, y.is_signed)});
  AttributeMap attributes = group.attributes;
  attributes.insert(group.integer_attributes.begin(), group.integer_attributes.end());
  y.name = builder.node(group.integer_op, inputs, attributes, group.domain);
  return y;
}

// A node that moves bytes.
Quantized moved(GraphBuilder& builder, const std::string& op_type, const AttributeMap& attributes, Quantized y) {
  if (builder.qdq()) {
    y.name = builder.quantize(builder.node(op_type, {builder.dequantize(y)}, attributes), y);
  } else {
    y.name = builder.node(op_type, {y.name}, attributes);
  }
  return y;
}

bool fits(const oracle::ConvGeometry& g) {
  return (g.kernel_h - 1) * g.dilation_h < g.height + g.pad_top + g.pad_bottom &&
         (g.kernel_w - 1) * g.dilation_w < g.width + g.pad_left + g.pad_right;
}

// Geometry for x, drawn again until the window fits.
RandomConv conv_of(Random& random, const Quantized& x) {
  RandomConv conv;
  conv.one_dimension = x.shape.size() == 3;
  oracle::ConvGeometry& g = conv.args.geometry;
  do {
    g = random_geometry(random, conv.one_dimension);
    g.batch = x.shape[0];
    const bool depthwise = g.group > 2;
    g.channels = x.shape[1];
    g.group = depthwise ? g.channels : (g.channels % 2 == 0 ? g.group : 1);
    g.outputs = g.group * random.integer(1, depthwise ? (random.chance(0.8) ? 1 : 2) : 10);
    g.width = x.shape.back();
    g.height = conv.one_dimension ? 1 : x.shape[2];
  } while (!fits(g));
  return conv;
}

Quantized conv(GraphBuilder& builder, Random& random, const Quantized& x) {
  const RandomConv conv = conv_of(random, x);
  const oracle::ConvGeometry& g = conv.args.geometry;
  Shape w_shape = {g.outputs, g.channels / g.group, g.kernel_h, g.kernel_w};
  if (conv.one_dimension) {
    w_shape.erase(w_shape.begin() + 2);
  }
  const QuantizedWeight w = builder.weight(w_shape, weight_sign(random, builder, x), 0);
  Quantized y =
      builder.like(x, conv.output_shape(),
                   product_scale(random, x.scale * w.scales[0], g.channels / g.group * g.kernel_h * g.kernel_w));
  std::vector<std::string> inputs = {x.name, builder.scale(x.scale), builder.zero_point(x.zero_point, x.is_signed),
                                     w.name, builder.scales(w),      builder.zero_points(w)};
  const std::vector<std::int32_t> bias = builder.bias(g.outputs);
  const bool has_bias = random.chance(0.6);
  if (!builder.qdq()) {
    y.is_signed = random.chance(0.5);
    y.zero_point = random_bytes(random, 1, y.is_signed)[0];
    inputs.insert(inputs.end(), {builder.scale(y.scale), builder.zero_point(y.zero_point, y.is_signed)});
    if (has_bias) {
      inputs.push_back(builder.constant("bias", Tensor::from({g.outputs}, bias)));
    }
    y.name = builder.node("QLinearConv", inputs, conv.attributes());
    return y;
  }
  std::vector<std::string> reals = {builder.dequantize(x), builder.dequantize(w)};
  if (has_bias) {
    std::vector<float> scales;
    for (Index i = 0; i < g.outputs; ++i) {
      scales.push_back(x.scale * w.scales[w.scales.size() == 1 ? 0 : static_cast<std::size_t>(i)]);
    }
    reals.push_back(builder.node("DequantizeLinear",
                                 {builder.constant("bias", Tensor::from({g.outputs}, bias)),
                                  builder.constant("scale", Tensor::from({g.outputs}, scales))},
                                 {{"axis", Index{0}}}));
  }
  std::string sum = builder.node("Conv", reals, conv.attributes());
  if (random.chance(0.3)) {
    sum = builder.node("Relu", {sum});
  }
  y.name = builder.quantize(sum, y);
  return y;
}

AttributeMap pool_attributes(const RandomConv& conv, bool average) {
  AttributeMap attributes = conv.attributes();
  const oracle::ConvGeometry& g = conv.args.geometry;
  attributes.erase("group");
  if (average) {
    attributes.erase("dilations");
  }
  attributes["kernel_shape"] =
      conv.one_dimension ? std::vector<Index>{g.kernel_w} : std::vector<Index>{g.kernel_h, g.kernel_w};
  return attributes;
}

// Windows of a pooling: every one has a tap inside the image.
RandomConv pool_of(Random& random, const Quantized& x, bool average) {
  RandomConv conv;
  oracle::ConvGeometry& g = conv.args.geometry;
  do {
    conv = conv_of(random, x);
    if (average) {
      g.dilation_h = g.dilation_w = 1;
    }
    g.pad_top = std::min(g.pad_top, g.kernel_h - 1);
    g.pad_bottom = std::min(g.pad_bottom, g.kernel_h - 1);
    g.pad_left = std::min(g.pad_left, g.kernel_w - 1);
    g.pad_right = std::min(g.pad_right, g.kernel_w - 1);
    g.outputs = g.channels;
  } while (!fits(g));
  return conv;
}

Quantized max_pool(GraphBuilder& builder, Random& random, const Quantized& x) {
  const RandomConv pool = pool_of(random, x, false);
  Quantized y = x;
  y.shape = pool.output_shape();
  return moved(builder, "MaxPool", pool_attributes(pool, false), y);
}

Quantized average_pool(GraphBuilder& builder, Random& random, const Quantized& x) {
  const RandomConv pool = pool_of(random, x, true);
  AttributeMap attributes = pool_attributes(pool, true);
  attributes["count_include_pad"] = random.integer(0, 1);
  return group_of(builder, {.float_op = "AveragePool", .integer_op = "QLinearAveragePool", .attributes = attributes},
                  {x}, builder.like(x, pool.output_shape(), x.scale * random.uniform(0.4F, 1.2F)));
}

Quantized global_average_pool(GraphBuilder& builder, Random& random, const Quantized& x) {
  Shape shape(x.shape.size(), 1);
  shape[0] = x.shape[0];
  shape[1] = x.shape[1];
  return group_of(builder,
                  {.float_op = "GlobalAveragePool",
                   .integer_op = "QLinearGlobalAveragePool",
                   .attributes = {},
                   .integer_attributes = {{"channels_last", Index{0}}}},
                  {x}, builder.like(x, shape, x.scale * random.uniform(0.1F, 1.0F)));
}

// A ratio of small integers: sums of such scales come close to ties, where a rounding more or less shows.
float ratio(Random& random) {
  return static_cast<float>(random.integer(1, 12)) / static_cast<float>(random.integer(1, 6));
}

// The other operand: x itself, another input, or a constant that broadcasts over the batch.
Quantized other_operand(GraphBuilder& builder, Random& random, const Quantized& x) {
  if (random.chance(0.2)) {
    return x;
  }
  if (random.chance(0.4)) {
    return builder.input(x.shape, x.is_signed, true);
  }
  Quantized other = builder.like(x, x.shape, x.scale * ratio(random));
  other.shape[0] = 1;
  for (std::size_t i = 1; i < other.shape.size(); ++i) {
    other.shape[i] = random.chance(0.3) ? 1 : other.shape[i];
  }
  other.name = builder.constant("operand", random_byte_tensor(random, other.shape, x.is_signed));
  return other;
}

Quantized add(GraphBuilder& builder, Random& random, const Quantized& x) {
  const Quantized other = other_operand(builder, random, x);
  return group_of(builder, {.float_op = "Add", .integer_op = "QLinearAdd"}, {x, other},
                  builder.like(x, x.shape, (random.chance(0.5) ? x.scale : other.scale) * ratio(random)));
}

Quantized multiply(GraphBuilder& builder, Random& random, const Quantized& x) {
  const Quantized other = other_operand(builder, random, x);
  return group_of(builder, {.float_op = "Mul", .integer_op = "QLinearMul"}, {x, other},
                  builder.like(x, x.shape, x.scale * other.scale * random.uniform(20.0F, 80.0F)));
}

Quantized sigmoid(GraphBuilder& builder, Random& /*random*/, const Quantized& x) {
  return group_of(builder, {.float_op = "Sigmoid", .integer_op = "QLinearSigmoid"}, {x},
                  builder.like(x, x.shape, 1.0F / 256));
}

// A table; integer graphs have none and take another sigmoid.
Quantized table(GraphBuilder& builder, Random& random, const Quantized& x) {
  const Quantized y = builder.like(x, x.shape, random.uniform(0.005F, 0.03F));
  const std::string op = random.chance(0.5) ? "Tanh" : "HardSwish";
  return group_of(builder, {.float_op = op, .integer_op = "QLinearSigmoid"}, {x}, y);
}

Quantized leaky_relu(GraphBuilder& builder, Random& random, const Quantized& x) {
  return group_of(builder,
                  {.float_op = "LeakyRelu",
                   .integer_op = "QLinearLeakyRelu",
                   .attributes = {{"alpha", random.uniform(-0.5F, 0.5F)}}},
                  {x}, builder.like(x, x.shape, x.scale * random.uniform(0.5F, 1.5F)));
}

Quantized softmax(GraphBuilder& builder, Random& random, const Quantized& x) {
  const auto axis = random.integer(1, static_cast<Index>(x.shape.size()) - 1);
  return group_of(builder,
                  {.float_op = "Softmax",
                   .integer_op = "QLinearSoftmax",
                   .attributes = {{"axis", axis}},
                   .integer_attributes = {{"opset", Index{13}}}},
                  {x}, builder.like(x, x.shape, 1.0F / 256));
}

Quantized concat(GraphBuilder& builder, Random& random, const Quantized& x) {
  const Quantized other = random.chance(0.3) ? x : builder.input(x.shape, x.is_signed, true);
  const auto axis = random.integer(1, static_cast<Index>(x.shape.size()) - 1);
  Quantized y = random.chance(0.4) ? x : builder.like(x, x.shape, x.scale * random.uniform(0.5F, 2.0F));
  y.shape[static_cast<std::size_t>(axis)] *= 2;
  if (builder.qdq()) {
    y.name = builder.quantize(
        builder.node("Concat", {builder.dequantize(x), builder.dequantize(other)}, {{"axis", axis}}), y);
    return y;
  }
  std::vector<std::string> inputs = {builder.scale(y.scale), builder.zero_point(y.zero_point, y.is_signed)};
  for (const Quantized& part : {x, other}) {
    inputs.insert(inputs.end(),
                  {part.name, builder.scale(part.scale), builder.zero_point(part.zero_point, part.is_signed)});
  }
  y.name = builder.node("QLinearConcat", inputs, {{"axis", axis}}, kMicrosoftDomain);
  return y;
}

Quantized requantize(GraphBuilder& builder, Random& random, const Quantized& x) {
  Quantized y = builder.like(x, x.shape, x.scale * random.uniform(0.5F, 2.0F));
  y.name = builder.quantize(builder.dequantize(x), y);
  return y;
}

Quantized clip(GraphBuilder& builder, Random& random, const Quantized& x) {
  if (builder.qdq()) {
    return moved(builder, "Relu", {}, x);
  }
  const Index low = (x.is_signed ? -128 : 0) + random.integer(0, 100);
  Quantized y = x;
  y.name =
      builder.node("Clip", {x.name, builder.zero_point(low, x.is_signed), builder.zero_point(low + 100, x.is_signed)});
  return y;
}

Quantized flatten(GraphBuilder& builder, Random& /*random*/, const Quantized& x) {
  Quantized y = x;
  y.shape = {x.shape[0], element_count(x.shape).value() / x.shape[0]};
  return moved(builder, "Flatten", {{"axis", Index{1}}}, y);
}

Quantized transpose(GraphBuilder& builder, Random& /*random*/, const Quantized& x) {
  Quantized y = x;
  std::vector<Index> order = {0};
  y.shape = {x.shape[0]};
  for (std::size_t i = x.shape.size() - 1; i > 0; --i) {
    order.push_back(static_cast<Index>(i));
    y.shape.push_back(x.shape[i]);
  }
  return moved(builder, "Transpose", {{"perm", order}}, y);
}

// x's last axis times a matrix, a constant or (integer graphs) a second input.
Quantized matmul(GraphBuilder& builder, Random& random, const Quantized& x) {
  const Index k = x.shape.back();
  const Index n = random.integer(1, 40);
  Shape shape = x.shape;
  shape.back() = n;
  const bool b_signed = weight_sign(random, builder, x);
  if (!builder.qdq() && random.chance(0.3)) {
    const Quantized b = builder.input({k, n}, b_signed, false);
    return group_of(
        builder,
        {.float_op = "MatMul", .integer_op = "QLinearMatMul", .attributes = {}, .integer_attributes = {}, .domain = ""},
        {x, b}, builder.like(x, shape, product_scale(random, x.scale * b.scale, k)));
  }
  const QuantizedWeight w = builder.weight({k, n}, b_signed, 1);
  Quantized y = builder.like(x, shape, product_scale(random, x.scale * w.scales[0], k));
  if (builder.qdq()) {
    y.name = builder.quantize(builder.node("MatMul", {builder.dequantize(x), builder.dequantize(w)}), y);
    return y;
  }
  y.name = builder.node("QLinearMatMul", {x.name, builder.scale(x.scale), builder.zero_point(x.zero_point, x.is_signed),
                                          w.name, builder.scales(w), builder.zero_points(w), builder.scale(y.scale),
                                          builder.zero_point(y.zero_point, y.is_signed)});
  return y;
}

// A matrix times a constant one, with a bias.
Quantized gemm(GraphBuilder& builder, Random& random, const Quantized& x) {
  const Index k = x.shape.back();
  const Index n = random.integer(1, 40);
  const bool transposed = random.chance(0.5);
  const QuantizedWeight w =
      builder.weight(transposed ? Shape{n, k} : Shape{k, n}, weight_sign(random, builder, x), transposed ? 0 : 1);
  Quantized y = builder.like(x, {x.shape[0], n}, product_scale(random, x.scale * w.scales[0], k));
  const AttributeMap attributes = {{"transB", Index{transposed ? 1 : 0}}};
  if (builder.qdq()) {
    y.name = builder.quantize(builder.node("Gemm", {builder.dequantize(x), builder.dequantize(w)}, attributes), y);
    return y;
  }
  y.name = builder.node(
      "QGemm",
      {x.name, builder.scale(x.scale), builder.zero_point(x.zero_point, x.is_signed), w.name, builder.scales(w),
       builder.zero_points(w), builder.constant("bias", Tensor::from({n}, builder.bias(n))), builder.scale(y.scale),
       builder.zero_point(y.zero_point, y.is_signed)},
      attributes, kMicrosoftDomain);
  return y;
}

// x with a scale and zero point of its own values, which depend on the whole batch.
std::string dynamic_end(GraphBuilder& builder, Random& random, const Quantized& x) {
  const std::string integers = builder.node("DynamicQuantizeLinear", {builder.dequantize(x)});
  const std::string scale = builder.fresh("scale");
  const std::string zero_point = builder.fresh("zero_point");
  builder.result().graph.nodes.back().outputs = {integers, scale, zero_point};
  builder.result().splits = false;
  const QuantizedWeight w = builder.weight({x.shape.back(), random.integer(1, 40)}, random.chance(0.5), 1);
  return builder.node("MatMulInteger", {integers, w.name, zero_point, builder.zero_points(w)});
}

// An end of the graph in int32; gives its name.
std::string integer_end(GraphBuilder& builder, Random& random, const Quantized& x) {
  if (random.chance(0.15)) {
    return dynamic_end(builder, random, x);
  }
  const bool w_signed = random.chance(0.5);
  if (is_image(x)) {
    const RandomConv conv = conv_of(random, x);
    const oracle::ConvGeometry& g = conv.args.geometry;
    Shape w_shape = {g.outputs, g.channels / g.group, g.kernel_h, g.kernel_w};
    if (conv.one_dimension) {
      w_shape.erase(w_shape.begin() + 2);
    }
    const QuantizedWeight w = builder.weight(w_shape, w_signed, 0);
    return builder.node("ConvInteger",
                        {x.name, w.name, builder.zero_point(x.zero_point, x.is_signed), builder.zero_points(w)},
                        conv.attributes());
  }
  const QuantizedWeight w = builder.weight({x.shape.back(), random.integer(1, 40)}, w_signed, 1);
  return builder.node("MatMulInteger",
                      {x.name, w.name, builder.zero_point(x.zero_point, x.is_signed), builder.zero_points(w)});
}

constexpr std::array<Stage, 18> kImageStages = {
    conv,   conv,    conv, conv,   max_pool,  average_pool,        add,  multiply, sigmoid, leaky_relu, softmax,
    concat, flatten, clip, matmul, transpose, global_average_pool, table};
constexpr std::array<Stage, 12> kMatrixStages = {matmul,  matmul,     gemm,    gemm,   add,        multiply,
                                                 sigmoid, leaky_relu, softmax, concat, requantize, table};

// Most are small; some have work for several threads in every operator.
Shape random_shape(Random& random) {
  const Index batch = random.integer(1, 4);
  if (random.chance(0.3)) {
    return {batch, random.integer(1, 70)};
  }
  const bool large = random.chance(0.02);
  Shape shape = {batch, random.integer(1, large ? 24 : 8), random.integer(large ? 16 : 1, large ? 40 : 10),
                 random.integer(large ? 16 : 1, large ? 40 : 10)};
  if (random.chance(0.2)) {
    shape.pop_back();
  }
  return shape;
}

}  // namespace

RandomGraph random_graph(std::uint64_t index) {
  Random random(index);
  GraphBuilder builder(random, random.chance(0.5));
  const bool is_signed = random.chance(0.4);
  const Shape shape = random_shape(random);
  builder.result().batch = shape[0];
  builder.result().text = builder.qdq() ? "qdq:" : "integer:";
  Quantized x = builder.input(shape, is_signed, true);
  for (Index stages = random.integer(1, 3); stages > 0; --stages) {
    const Stage stage = is_image(x)
                            ? kImageStages[static_cast<std::size_t>(random.integer(0, kImageStages.size() - 1))]
                            : kMatrixStages[static_cast<std::size_t>(random.integer(0, kMatrixStages.size() - 1))];
    x = stage(builder, random, x);
  }
  ValueInfo output{.name = x.name, .dtype = x.dtype(), .has_shape = false, .dims = {}};
  if (!builder.qdq() && random.chance(0.3)) {
    output.name = integer_end(builder, random, x);
    output.dtype = DType::kInt32;
  } else if (random.chance(0.3)) {
    output.name = builder.dequantize(x);
    output.dtype = DType::kFloat32;
  }
  RandomGraph out = builder.take();
  out.text += " " + std::string(is_signed ? "s8" : "u8") + shape_text(shape);
  out.graph.outputs.push_back(output);
  return out;
}

}  // namespace assay::test
