// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/selection.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "engine/quantizer/nearest_name.h"
#include "engine/quantizer/operators.h"
#include "engine/quantizer/overrides.h"
#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status check_type(DType dtype, const char* option) {
  if (!is_8bit(dtype)) {
    return invalid_argument(std::string("quantizer.") + option + " is " + std::string(dtype_name(dtype)) +
                            "; it must be int8 or uint8");
  }
  return {};
}

Status check_op_types(const Options& options) {
  std::vector<std::string> known;
  for (const OperatorRow& row : operator_rows()) {
    known.emplace_back(row.op_type);
  }
  for (const std::string& op_type : options.op_types) {
    if (!contains(known, op_type)) {
      return invalid_argument("quantizer.op_types: the quantizer does not know '" + op_type + "'" +
                              suggestion(op_type, known));
    }
  }
  return {};
}

Status check_node_names(const Graph& graph, const Options& options) {
  std::vector<std::string> known;
  for (const Node& node : graph.nodes) {
    known.push_back(node.name);
  }
  const auto check = [&](const std::vector<std::string>& names, const char* option) -> Status {
    for (const std::string& name : names) {
      if (!contains(known, name)) {
        return invalid_argument(std::string("quantizer.") + option + ": the model has no node '" + name + "'" +
                                suggestion(name, known));
      }
    }
    return {};
  };
  ASSAY_TRY(check(options.nodes_to_quantize, "nodes_to_quantize"));
  ASSAY_TRY(check(options.nodes_to_exclude, "nodes_to_exclude"));
  for (const std::string& name : options.nodes_to_quantize) {
    if (contains(options.nodes_to_exclude, name)) {
      return invalid_argument("node '" + name + "' is in both quantizer.nodes_to_quantize and nodes_to_exclude");
    }
  }
  return {};
}

std::vector<std::string> value_names(const Graph& graph) {
  std::set<std::string> names;
  for (const ValueInfo& input : graph.inputs) {
    names.insert(input.name);
  }
  for (const auto& [name, tensor] : graph.initializers) {
    names.insert(name);
  }
  for (const Node& node : graph.nodes) {
    names.insert(node.outputs.begin(), node.outputs.end());
  }
  names.erase("");
  return {names.begin(), names.end()};
}

Status check_tensor_names(const Graph& graph, const Options& options) {
  const std::vector<std::string> known = value_names(graph);
  const auto check = [&](const std::string& name, const char* option) -> Status {
    if (!contains(known, name)) {
      return invalid_argument(std::string("quantizer.") + option + ": the model has no tensor '" + name + "'" +
                              suggestion(name, known));
    }
    return {};
  };
  for (const auto& [name, setting] : options.overrides) {
    ASSAY_TRY(check(name, "overrides"));
    ASSAY_TRY(check_override(name, setting));
  }
  for (const auto& [name, range] : options.ranges) {
    ASSAY_TRY(check(name, "ranges"));
    ASSAY_TRY(check_range(name, range.first, range.second, "ranges"));
  }
  return {};
}

}  // namespace

Status check_options(const Graph& graph, const Options& options) {
  ASSAY_TRY(check_type(options.activation_type, "activation_type"));
  ASSAY_TRY(check_type(options.weight_type, "weight_type"));
  ASSAY_TRY(check_op_types(options));
  ASSAY_TRY(check_node_names(graph, options));
  return check_tensor_names(graph, options);
}

Status check_is_float_model(const Graph& graph) {
  constexpr std::array<std::string_view, 7> kOthers = {
      "QuantizeLinear", "DequantizeLinear",    "DynamicQuantizeLinear", "ConvInteger", "MatMulInteger",
      "QGemm",          "MatMulIntegerToFloat"};
  for (const Node& node : graph.nodes) {
    if (node.op_type.starts_with("QLinear") ||
        std::find(kOthers.begin(), kOthers.end(), node.op_type) != kOthers.end()) {
      return invalid_argument("the model is quantized already: it has " + node_text(graph, node) +
                              "; give the float model, or convert this one from int8 to uint8");
    }
  }
  return {};
}

std::string deselection_reason(const Node& node, const Options& options) {
  if (contains(options.nodes_to_exclude, node.name)) {
    return "excluded by quantizer.nodes_to_exclude";
  }
  if (!options.nodes_to_quantize.empty() && !contains(options.nodes_to_quantize, node.name)) {
    return "not in quantizer.nodes_to_quantize";
  }
  if (!options.op_types.empty() && !contains(options.op_types, node.op_type)) {
    return node.op_type + " is not in quantizer.op_types";
  }
  return "";
}

}  // namespace assay::quantizer
