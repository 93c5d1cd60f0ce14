// SPDX-License-Identifier: Apache-2.0
// A quantized graph that grows node by node; every node makes one value of its own name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/runtime/ops/quantized_data.h"
#include "tests/engine/runtime/random_graph.h"

namespace assay::test {

// A quantized value; its first axis is the batch.
struct Quantized {
  std::string name;
  bool is_signed = false;
  float scale = 1;
  Index zero_point = 0;
  Shape shape;

  DType dtype() const { return is_signed ? DType::kInt8 : DType::kUint8; }
};

// Of one tensor, or with a scale per channel.
struct QuantizedWeight {
  std::string name;
  bool is_signed = true;
  std::vector<float> scales;
  oracle::Integers zero_points;
  Index axis = 0;
};

class GraphBuilder {
 public:
  GraphBuilder(Random& random, bool qdq) : random_(random), qdq_(qdq) {
    out_.graph.opsets = {{"", 14}, {kMicrosoftDomain, 1}};
  }

  bool qdq() const { return qdq_; }
  RandomGraph take() { return std::move(out_); }
  RandomGraph& result() { return out_; }

  std::string fresh(const std::string& base) { return base + std::to_string(counter_++); }
  std::string constant(const std::string& base, Tensor tensor) {
    const std::string name = fresh(base);
    out_.graph.initializers[name] = std::move(tensor);
    return name;
  }
  std::string node(const std::string& op_type, std::vector<std::string> inputs, AttributeMap attributes = {},
                   const std::string& domain = "") {
    Node node;
    node.name = fresh(op_type);
    node.op_type = op_type;
    node.domain = domain;
    node.inputs = std::move(inputs);
    node.outputs = {node.name};
    node.attributes = std::move(attributes);
    out_.graph.nodes.push_back(std::move(node));
    out_.text += " " + op_type;
    return out_.graph.nodes.back().name;
  }
  std::string scale(float value) { return constant("scale", Tensor::scalar(value)); }
  std::string zero_point(Index value, bool is_signed) {
    return constant("zero_point", zero_point_tensor(static_cast<std::int32_t>(value), is_signed));
  }

  // A quantized input of the graph, or one of floats that is quantized first.
  Quantized input(const Shape& shape, bool is_signed, bool batched) {
    Quantized value{.name = fresh("input"),
                    .is_signed = is_signed,
                    .scale = random_.uniform(0.01F, 0.1F),
                    .zero_point = random_bytes(random_, 1, is_signed)[0],
                    .shape = shape};
    Tensor tensor = random_byte_tensor(random_, shape, is_signed);
    const bool floats = random_.chance(0.3);
    ValueInfo info{
        .name = value.name, .dtype = floats ? DType::kFloat32 : value.dtype(), .has_shape = true, .dims = {}};
    for (const Index size : shape) {
      info.dims.push_back({.size = size, .name = ""});
    }
    if (batched) {
      info.dims[0] = {.size = -1, .name = "N"};
      out_.batched.push_back(value.name);
    }
    out_.graph.inputs.push_back(info);
    if (floats) {
      std::vector<float> reals;
      for (const std::int32_t byte : byte_values(tensor)) {
        reals.push_back((static_cast<float>(byte - value.zero_point) + random_.uniform(-0.6F, 0.6F)) * value.scale);
      }
      tensor = Tensor::from(shape, reals);
    }
    out_.inputs[value.name] = std::move(tensor);
    if (floats) {
      value.name = quantize(value.name, value);
    }
    return value;
  }

  std::string quantize(const std::string& reals, const Quantized& to) {
    return node("QuantizeLinear", {reals, scale(to.scale), zero_point(to.zero_point, to.is_signed)});
  }
  std::string dequantize(const Quantized& value) {
    return node("DequantizeLinear", {value.name, scale(value.scale), zero_point(value.zero_point, value.is_signed)});
  }

  // [channels of `axis`], per tensor in half of the cases.
  QuantizedWeight weight(const Shape& shape, bool is_signed, Index axis) {
    const bool per_channel = random_.chance(0.5);
    const Index count = per_channel ? shape[static_cast<std::size_t>(axis)] : 1;
    QuantizedWeight out{.name = constant("weight", random_byte_tensor(random_, shape, is_signed)),
                        .is_signed = is_signed,
                        .scales = {},
                        .zero_points = random_bytes(random_, count, is_signed),
                        .axis = axis};
    if (is_signed && random_.chance(0.7)) {
      out.zero_points.assign(out.zero_points.size(), 0);
    }
    for (Index i = 0; i < count; ++i) {
      out.scales.push_back(random_.uniform(0.005F, 0.02F));
    }
    return out;
  }
  std::string scales(const QuantizedWeight& weight) {
    return constant("scale", Tensor::from(parameter_shape(weight), weight.scales));
  }
  std::string zero_points(const QuantizedWeight& weight) {
    return constant("zero_point", byte_tensor(parameter_shape(weight), weight.zero_points, weight.is_signed));
  }
  std::string dequantize(const QuantizedWeight& weight) {
    return node("DequantizeLinear", {weight.name, scales(weight), zero_points(weight)}, {{"axis", weight.axis}});
  }
  // The bias of a product of x and w, int32 in steps of x.scale * w.scale, one per channel.
  std::vector<std::int32_t> bias(Index count) {
    std::vector<std::int32_t> values;
    for (Index i = 0; i < count; ++i) {
      values.push_back(static_cast<std::int32_t>(random_.integer(-20000, 20000)));
    }
    return values;
  }

  // Like x but for shape, scale and zero point; named later.
  Quantized like(const Quantized& x, Shape shape, float scale) {
    Quantized y = x;
    y.shape = std::move(shape);
    y.scale = scale;
    y.zero_point = random_bytes(random_, 1, y.is_signed)[0];
    return y;
  }

 private:
  static Shape parameter_shape(const QuantizedWeight& weight) {
    return weight.scales.size() == 1 ? Shape{} : Shape{static_cast<Index>(weight.scales.size())};
  }

  Random& random_;
  bool qdq_;
  int counter_ = 0;
  RandomGraph out_;
};

}  // namespace assay::test
