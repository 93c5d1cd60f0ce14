// SPDX-License-Identifier: Apache-2.0
// Random graphs out of fragments: each pass has one that makes what the pass looks for, with what keeps it from firing
// mixed in. A fragment reads values of the graph so far or new inputs, and gives its results back to it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/api/session.h"
#include "tests/engine/passes/qdq_builder.h"
#include "tests/support/random.h"

namespace assay::test {

// How far an output may lie from the unoptimised one: absolute, and relative to the tensor's largest magnitude.
struct Bound {
  double absolute = 0;
  double relative = 0;
};
inline constexpr Bound kEqual = {};
inline constexpr Bound kFloatRounding = {.absolute = 1e-6, .relative = 2e-5};
inline Bound one_step(const QuantParams& params) { return {.absolute = static_cast<double>(params.scale) * 1.0001}; }

class GraphGenerator {
 public:
  GraphGenerator(Random& random, Index opset) : random_(random) { graph_.opsets[""] = opset; }

  Random& random() { return random_; }
  bool chance(double probability) { return random_.chance(probability); }
  Index integer(Index low, Index high) { return random_.integer(low, high); }
  template <typename T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(integer(0, static_cast<Index>(choices.size()) - 1))];
  }

  // A float value of this shape: a result so far, or a new input, whose first dimension may be open.
  std::string source(const Shape& shape, bool may_be_open = true) {
    const std::vector<std::string>& known = results_[shape];
    if (!known.empty() && chance(0.4)) {
      return one_of(known);
    }
    return input(random_floats(shape, -4, 4), may_be_open && chance(0.3));
  }
  std::string input(Tensor tensor, bool open = false) {
    const std::string name = "x" + std::to_string(graph_.inputs.size());
    ValueInfo info{.name = name, .dtype = tensor.dtype(), .has_shape = true, .dims = {}};
    for (const Index size : tensor.shape()) {
      info.dims.push_back({.size = open && info.dims.empty() ? -1 : size, .name = ""});
    }
    graph_.inputs.push_back(info);
    inputs_[name] = std::move(tensor);
    return name;
  }
  std::string constant(Tensor tensor) {
    const std::string name = "c" + std::to_string(graph_.initializers.size());
    graph_.initializers[name] = std::move(tensor);
    return name;
  }
  std::string indices(const std::vector<Index>& values) {
    return constant(Tensor::from<Index>({static_cast<Index>(values.size())}, values));
  }
  std::string floats(const Shape& shape, float low, float high) { return constant(random_floats(shape, low, high)); }
  Tensor random_floats(const Shape& shape, float low, float high) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape).value()));
    for (float& value : values) {
      value = random_.uniform(low, high);
    }
    return Tensor::from(shape, values);
  }
  Tensor random_integers(DType dtype, const Shape& shape, Index low, Index high) {
    std::vector<Index> values(static_cast<std::size_t>(element_count(shape).value()));
    for (Index& value : values) {
      value = integer(low, high);
    }
    return integers(dtype, shape, values);
  }

  std::vector<std::string> nodes(const std::string& op_type, std::vector<std::string> inputs, std::size_t outputs,
                                 AttributeMap attributes = {}, const std::string& domain = "") {
    Node node;
    node.name = "n" + std::to_string(graph_.nodes.size());
    node.op_type = op_type;
    node.domain = domain;
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    for (std::size_t i = 0; i < outputs; ++i) {
      node.outputs.push_back(node.name + "_" + std::to_string(i));
    }
    if (!domain.empty()) {
      graph_.opsets[domain] = 1;
    }
    graph_.nodes.push_back(node);
    return node.outputs;
  }
  std::string node(const std::string& op_type, std::vector<std::string> inputs, AttributeMap attributes = {},
                   const std::string& domain = "") {
    return nodes(op_type, std::move(inputs), 1, std::move(attributes), domain)[0];
  }

  // A scale for values of about [-reach, reach]; the zero point is in the middle, at an end or anywhere.
  QuantParams parameters(DType dtype, float reach) {
    const IntegerRange range = dtype_integer_range(dtype);
    const Index middle = (range.min + range.max + 1) / 2;
    const Index zero_point = one_of<Index>({middle, middle, range.min, middle - integer(0, 40)});
    return {.scale = reach / 128, .zero_point = zero_point, .dtype = dtype};
  }
  DType byte_type() { return chance(0.5) ? DType::kUint8 : DType::kInt8; }
  std::string quantize(const std::string& x, const QuantParams& params) {
    return node("QuantizeLinear", linear_inputs(x, params));
  }
  std::string dequantize(const std::string& q, const QuantParams& params) {
    return node("DequantizeLinear", linear_inputs(q, params));
  }
  std::string pair(const std::string& x, const QuantParams& params) { return dequantize(quantize(x, params), params); }
  // A constant behind a DequantizeLinear with a scale per channel along `axis`, or one (axis < 0).
  struct Weight {
    std::string value;
    std::vector<float> scales;
  };
  Weight weight(const Shape& shape, Index axis, DType dtype = DType::kInt8) {
    const Index count = axis < 0 ? 1 : shape[static_cast<std::size_t>(axis)];
    Weight out;
    for (Index i = 0; i < count; ++i) {
      out.scales.push_back(random_.uniform(0.005F, 0.02F));
    }
    const Shape parameters = axis < 0 ? Shape{} : Shape{count};
    const std::vector<Index> zeros(static_cast<std::size_t>(count), 0);
    out.value = node("DequantizeLinear",
                     {constant(random_integers(dtype, shape, dtype == DType::kUint8 ? 0 : -60, 60)),
                      constant(Tensor::from(parameters, out.scales)), constant(integers(dtype, parameters, zeros))},
                     {{"axis", std::max<Index>(axis, 0)}});
    return out;
  }

  // Sometimes something else reads the value too: another node, or the caller.
  void maybe_expose(const std::string& value, const Bound& bound = kEqual, double probability = 0.1) {
    if (!chance(probability)) {
      return;
    }
    output(chance(0.5) ? value : node("Identity", {value}), bound);
  }
  void output(const std::string& value, const Bound& bound = kEqual) {
    if (!bounds_.contains(value)) {
      graph_.outputs.push_back({.name = value, .dtype = DType::kUndefined, .has_shape = false, .dims = {}});
      bounds_[value] = bound;
    }
  }
  // An output that later fragments may read: one that the pass leaves as it is.
  void result(const std::string& value, const Shape& shape) {
    output(chance(0.5) ? value : node("Identity", {value}));
    results_[shape].push_back(value);
  }

  const Graph& graph() const { return graph_; }
  const api::NamedTensors& inputs() const { return inputs_; }
  const std::map<std::string, Bound>& bounds() const { return bounds_; }

 private:
  std::vector<std::string> linear_inputs(const std::string& from, const QuantParams& params) {
    std::vector<std::string> inputs = {from, constant(Tensor::scalar(params.scale))};
    if (!params.leave_out_zero_point) {
      inputs.push_back(constant(integers(params.dtype, {}, {params.zero_point})));
    }
    return inputs;
  }

  Random& random_;
  Graph graph_;
  api::NamedTensors inputs_;
  std::map<Shape, std::vector<std::string>> results_;
  std::map<std::string, Bound> bounds_;
};

// Appends to the graph what one pass works on.
using Fragment = void (*)(GraphGenerator& g);

}  // namespace assay::test
