// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/value_types.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace assay::quantizer {
namespace {

struct FixedRow {
  std::string_view op_type;
  std::size_t output;
  DType dtype;
};
constexpr std::array kFixed = {
    FixedRow{"ArgMax", 0, DType::kInt64},  FixedRow{"ArgMin", 0, DType::kInt64},
    FixedRow{"Shape", 0, DType::kInt64},   FixedRow{"Size", 0, DType::kInt64},
    FixedRow{"NonZero", 0, DType::kInt64}, FixedRow{"TopK", 1, DType::kInt64},
    FixedRow{"MaxPool", 1, DType::kInt64}, FixedRow{"Equal", 0, DType::kBool},
    FixedRow{"Greater", 0, DType::kBool},  FixedRow{"GreaterOrEqual", 0, DType::kBool},
    FixedRow{"Less", 0, DType::kBool},     FixedRow{"LessOrEqual", 0, DType::kBool},
    FixedRow{"IsNaN", 0, DType::kBool},    FixedRow{"IsInf", 0, DType::kBool},
};

// TensorProto.DataType, as the attribute `to` of Cast has it.
constexpr std::array kCastTypes = {std::pair{Index{1}, DType::kFloat32}, std::pair{Index{10}, DType::kFloat16}};

std::optional<DType> fixed_type(const Node& node, std::size_t output) {
  for (const FixedRow& row : kFixed) {
    if (row.op_type == node.op_type && row.output == output) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

DType type_in(const ValueTypes& types, const std::string& value) {
  const auto found = types.find(value);
  return found == types.end() ? DType::kUndefined : found->second;
}

// Nothing for a node without subgraphs.
std::optional<DType> subgraph_output_type(const Node& node, std::size_t output, const ValueTypes& types) {
  const auto body = std::find_if(node.attributes.begin(), node.attributes.end(),
                                 [](const auto& entry) { return std::holds_alternative<GraphPtr>(entry.second); });
  if (body == node.attributes.end()) {
    return std::nullopt;
  }
  const Graph& graph = *std::get<GraphPtr>(body->second);
  const std::size_t position = output + (node.op_type == "Loop" ? 1 : 0);  // behind the condition
  if (position >= graph.outputs.size()) {
    return DType::kUndefined;
  }
  const ValueInfo& info = graph.outputs[position];
  return info.dtype != DType::kUndefined ? info.dtype
                                         : type_in(value_types(typed_subgraph(graph, node, types)), info.name);
}

DType computed_type(const Node& node, std::size_t output, const ValueTypes& types) {
  if (const auto fixed = fixed_type(node, output); fixed) {
    return *fixed;
  }
  if (node.op_type == "Cast") {
    for (const auto& [code, dtype] : kCastTypes) {
      if (code == node.int_attribute("to", 0)) {
        return dtype;
      }
    }
    return DType::kUndefined;
  }
  if (const auto inner = subgraph_output_type(node, output, types); inner) {
    return *inner;
  }
  const std::string& like = node.input(node.op_type == "Where" ? 1 : 0);
  const auto found = types.find(like);
  return found == types.end() ? DType::kUndefined : found->second;
}

}  // namespace

Graph typed_subgraph(const Graph& subgraph, const Node& node, const ValueTypes& types) {
  Graph typed = subgraph;
  const std::size_t own = typed.inputs.size() - node.captures;
  for (std::size_t i = 0; i < typed.inputs.size(); ++i) {
    ValueInfo& input = typed.inputs[i];
    if (input.dtype != DType::kUndefined) {
      continue;
    }
    if (i >= own) {
      input.dtype = type_in(types, node.inputs[node.own_inputs() + (i - own)]);
    } else if (node.op_type == "Loop" && i < 2) {
      input.dtype = i == 0 ? DType::kInt64 : DType::kBool;
    } else {
      input.dtype = type_in(types, node.input(i));  // of Loop and Scan: in the order of the node's
    }
  }
  return typed;
}

ValueTypes value_types(const Graph& graph) {
  ValueTypes types;
  for (const ValueInfo& input : graph.inputs) {
    types[input.name] = input.dtype;
  }
  for (const auto& [name, tensor] : graph.initializers) {
    types[name] = tensor.dtype();
  }
  for (const Node& node : graph.nodes) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const auto stated = graph.value_infos.find(node.outputs[i]);
      const bool is_stated = stated != graph.value_infos.end() && stated->second.dtype != DType::kUndefined;
      types[node.outputs[i]] = is_stated ? stated->second.dtype : computed_type(node, i, types);
    }
  }
  types.erase("");
  return types;
}

}  // namespace assay::quantizer
