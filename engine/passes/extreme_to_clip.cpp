// SPDX-License-Identifier: Apache-2.0
// Max or Min of a value and a constant, quantized or not, is a Clip, which later passes know how to fuse.
#include <cmath>
#include <limits>
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "extreme_to_clip";
constexpr Index kFirstOpsetOfBroadcasts = 8;  // of Max and Min
constexpr Index kFirstOpsetOfInputs = 11;     // of Clip

// The constant behind the value, perhaps behind a DequantizeLinear.
std::optional<Tensor> constant_of(const Graph& graph, const ValueIndex& index, const PassContext& context,
                                  const std::string& value) {
  if (const Tensor* constant = graph.constant(value); constant != nullptr) {
    return *constant;
  }
  const Index maker = index.producer(value);
  if (maker < 0 || !context.evaluate) {
    return std::nullopt;
  }
  const Node& node = graph.nodes[static_cast<std::size_t>(maker)];
  std::vector<Tensor> inputs;
  for (const std::string& input : node.inputs) {
    const Tensor* constant = graph.constant(input);
    if (constant == nullptr || constant->size() != 1) {
      return std::nullopt;
    }
    inputs.push_back(*constant);
  }
  if (!node.domain.empty() || node.op_type != "DequantizeLinear") {
    return std::nullopt;
  }
  auto values = context.evaluate(graph, node, inputs);
  return values.ok() ? std::optional(values.value()[0]) : std::nullopt;
}

// A float32 constant of one element, not NaN, that adds no dimension to the other operand.
std::optional<float> match_bound(const std::optional<Tensor>& constant, const FactTable& facts,
                                 const std::string& other) {
  if (!constant.has_value() || constant->dtype() != DType::kFloat32 || constant->size() != 1) {
    return std::nullopt;
  }
  const std::optional<Index> rank = facts.of(other).rank();
  const bool keeps_shape = constant->rank() == 0 || (rank.has_value() && static_cast<Index>(constant->rank()) <= *rank);
  const float bound = constant->data<float>()[0];
  return keeps_shape && !std::isnan(bound) ? std::optional(bound) : std::nullopt;
}

Result<bool> rewrite_at(Graph& graph, const ValueIndex& index, const FactTable& facts, const PassContext& context,
                        std::size_t i) {
  Node& node = graph.nodes[i];
  if (!node.domain.empty() || (node.op_type != "Max" && node.op_type != "Min") || node.inputs.size() != 2) {
    return false;
  }
  for (const std::size_t at : {1, 0}) {
    const auto bound = match_bound(constant_of(graph, index, context, node.inputs[at]), facts, node.inputs[1 - at]);
    if (!bound.has_value() || graph.constant(node.inputs[1 - at]) != nullptr) {
      continue;
    }
    // The other bound is infinite: a Clip without it would make infinities the largest numbers.
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const bool is_max = node.op_type == "Max";
    const float low = is_max ? *bound : -kInfinity;
    const float high = is_max ? kInfinity : *bound;
    node.inputs = {node.inputs[1 - at]};
    if (graph.opset() < kFirstOpsetOfInputs) {
      node.attributes["min"] = low;
      node.attributes["max"] = high;
    } else {
      node.inputs.push_back(add_initializer(graph, node.outputs[0] + "_min", Tensor::scalar(low)));
      node.inputs.push_back(add_initializer(graph, node.outputs[0] + "_max", Tensor::scalar(high)));
    }
    node.op_type = "Clip";
    node.origin = kName;
    return true;
  }
  return false;
}

}  // namespace

Result<Index> extreme_to_clip(Graph& graph, const PassContext& context) {
  if (graph.opset() < kFirstOpsetOfBroadcasts) {
    return Index{0};
  }
  const FactTable facts(graph, context.inputs_checked);
  return rewrite_until_stable(
      graph, [&](Graph& g, const ValueIndex& index, std::size_t i) { return rewrite_at(g, index, facts, context, i); });
}

}  // namespace assay::passes
