// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/selection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "engine/ir/subgraph.h"
#include "engine/quantizer/nearest_name.h"
#include "engine/quantizer/operators.h"
#include "engine/quantizer/overrides.h"
#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string type_list(const std::vector<DType>& types) {
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == types.size() ? " or " : ", ") + std::string(dtype_name(types[i]));
  }
  return text;
}

Status check_type(DType dtype, const char* option, const std::vector<DType>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), dtype) == allowed.end()) {
    return invalid_argument(std::string("quantizer.") + option + " is " + std::string(dtype_name(dtype)) +
                            "; it must be " + type_list(allowed));
  }
  return {};
}

Status check_types(const Options& options) {
  using enum DType;
  std::vector<DType> activations = {kInt8, kUint8};
  std::vector<DType> weights = {kInt8, kUint8};
  if (options.format == Format::kQdq || options.format == Format::kWeightOnly) {
    activations = {kInt8, kUint8, kInt16, kUint16};
    weights = {kInt8, kUint8, kInt4, kUint4, kInt16, kUint16};
  } else if (options.format == Format::kDynamic) {
    activations = {kUint8};
  }
  ASSAY_TRY(check_type(options.activation_type, "activation_type", activations));
  ASSAY_TRY(check_type(options.weight_type, "weight_type", weights));
  if (options.format == Format::kQOperator && options.activation_type == kInt8 && options.weight_type == kUint8) {
    return invalid_argument(
        "quantizer.activation_type=int8 with weight_type=uint8: ONNX Runtime has no QLinearConv, QLinearMatMul or "
        "QGemm "
        "of these; take int8 weights, or quantizer.format=qdq");
  }
  for (const auto& [name, setting] : options.overrides) {
    if (setting.type && !is_8bit(*setting.type) &&
        (options.format == Format::kQOperator || options.format == Format::kDynamic)) {
      return invalid_argument("quantizer.overrides for '" + name + "': type " + std::string(dtype_name(*setting.type)) +
                              ", but the operators of quantizer.format=qoperator and dynamic take int8 and uint8 only");
    }
  }
  return {};
}

Status check_preparation(const Options& options) {
  if (!(options.smooth_quant_alpha >= 0 && options.smooth_quant_alpha <= 1)) {
    return invalid_argument("quantizer.smooth_quant_alpha must lie in [0, 1]; found " +
                            number_text(options.smooth_quant_alpha));
  }
  if (options.smooth_quant && options.format == Format::kWeightOnly) {
    return invalid_argument(
        "quantizer.smooth_quant is of no use with quantizer.format=weight_only: it makes activations easier to "
        "quantize, and they stay float");
  }
  if (options.bias_correction && options.format == Format::kDynamic) {
    return invalid_argument(
        "quantizer.bias_correction cannot be done with quantizer.format=dynamic: the scales that make the error are "
        "known only when the model runs");
  }
  return {};
}

// Settings that exclude each other.
Status check_combinations(const Options& options) {
  if (options.activation_restricted && (options.activation_symmetric || (options.activation_type != DType::kUint8 &&
                                                                         options.activation_type != DType::kUint16))) {
    return invalid_argument(
        "quantizer.activation_restricted is for unsigned activations that are not symmetric; found " +
        std::string(options.activation_symmetric ? "symmetric " : "") +
        std::string(dtype_name(options.activation_type)));
  }
  if (options.block_size < 0) {
    return invalid_argument("quantizer.block_size is not negative; found " + std::to_string(options.block_size));
  }
  const bool has_qdq = options.format == Format::kQdq || options.format == Format::kWeightOnly;
  if (!has_qdq && (options.block_size > 0 || options.contrib_qdq)) {
    return invalid_argument(std::string("quantizer.") + (options.contrib_qdq ? "contrib_qdq" : "block_size") +
                            " is for quantizer.format=qdq and weight_only");
  }
  if (options.block_size > 0 && options.contrib_qdq) {
    return invalid_argument(
        "quantizer.block_size cannot go with quantizer.contrib_qdq: DequantizeLinear of com.microsoft has no blocks");
  }
  if (!std::isfinite(options.minimum_real_range) || options.minimum_real_range < 0) {
    return invalid_argument("quantizer.minimum_real_range is not negative; found " +
                            number_text(options.minimum_real_range));
  }
  return check_preparation(options);
}

Status check_op_types(const Graph& graph, const Options& options) {
  std::vector<std::string> known;
  for (const OperatorRow& row : operator_rows()) {
    known.emplace_back(row.op_type);
  }
  for_each_graph(graph, [&](const std::string&, const Graph& each) {
    for (const Node& node : each.nodes) {
      known.push_back(node.op_type);
    }
  });
  const auto check = [&](const std::vector<std::string>& op_types, const std::string& option) -> Status {
    for (const std::string& op_type : op_types) {
      if (!contains(known, op_type)) {
        return invalid_argument("quantizer." + option + ": the quantizer does not know '" + op_type +
                                "', and the model has no such node" + suggestion(op_type, known));
      }
    }
    return {};
  };
  ASSAY_TRY(check(options.op_types, "op_types"));
  ASSAY_TRY(check(options.exclude_output_op_types, "exclude_output_op_types"));
  std::vector<std::string> with_axis;
  for (const auto& [op_type, axis] : options.channel_axes) {
    with_axis.push_back(op_type);
  }
  ASSAY_TRY(check(with_axis, "channel_axes"));
  for (const auto& [op_type, axis] : options.channel_axes) {
    const Role role = role_of("", op_type, options);
    if (role != Role::kMatMul && role != Role::kNormalization) {
      return invalid_argument(
          "quantizer.channel_axes: only MatMul and the normalizations have a choice of axis; found " + op_type);
    }
  }
  return {};
}

Status check_node_names(const Graph& graph, const Options& options) {
  std::vector<std::string> known;
  for_each_graph(graph, [&](const std::string& prefix, const Graph& each) {
    for (const Node& node : each.nodes) {
      known.push_back(prefix + node.name);
    }
  });
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
  std::vector<std::string> names;
  for_each_graph(graph, [&](const std::string& prefix, const Graph& each) {
    for (const std::string& name : made_names(each)) {
      names.push_back(prefix + name);
    }
  });
  std::ranges::sort(names);
  return names;
}

Status check_tensor_name(const std::vector<std::string>& known, const std::string& name, const char* option) {
  if (!contains(known, name)) {
    return invalid_argument(std::string("quantizer.") + option + ": the model has no tensor '" + name + "'" +
                            suggestion(name, known));
  }
  return {};
}

Status check_overrides(const Graph& graph, const Options& options) {
  const std::vector<std::string> known = value_names(graph);
  for (const auto& [name, setting] : options.overrides) {
    ASSAY_TRY(check_tensor_name(known, name, "overrides"));
    ASSAY_TRY(check_override(name, setting));
  }
  return {};
}

// Tables of other tools hold the ranges of constants too.
bool is_range_of(const std::pair<double, double>& range, const Tensor& constant) {
  const std::vector<double> values = constant.to_doubles();
  if (values.empty()) {
    return true;
  }
  const auto [low, high] = std::ranges::minmax_element(values);
  const double slack = 1e-6 * (*high - *low);
  return std::abs(range.first - *low) <= slack && std::abs(range.second - *high) <= slack;
}

}  // namespace

Status check_options(const Graph& graph, const Options& options) {
  ASSAY_TRY(check_types(options));
  ASSAY_TRY(check_combinations(options));
  ASSAY_TRY(check_op_types(graph, options));
  ASSAY_TRY(check_node_names(graph, options));
  return check_overrides(graph, options);
}

Status check_ranges(const Graph& source, const Graph& prepared, const Options& options) {
  std::vector<std::string> known = value_names(source);
  const std::vector<std::string> added = value_names(prepared);
  known.insert(known.end(), added.begin(), added.end());
  for (const auto& [name, range] : options.ranges) {
    ASSAY_TRY(check_tensor_name(known, name, "ranges"));
    if (const Tensor* constant = source.constant(name); constant != nullptr && !is_range_of(range, *constant)) {
      return invalid_argument(
          "quantizer.ranges: '" + name + "' is a constant, whose range is that of its values, not " +
          range_text(range.first, range.second) + "; leave it out, or give quantizer.overrides its min and max");
    }
    ASSAY_TRY(check_range(name, range.first, range.second, "ranges"));
  }
  return {};
}

Status check_is_float_model(const Graph& graph) {
  constexpr std::array<std::string_view, 7> kOthers = {
      "QuantizeLinear", "DequantizeLinear",    "DynamicQuantizeLinear", "ConvInteger", "MatMulInteger",
      "QGemm",          "MatMulIntegerToFloat"};
  std::string found;
  for_each_graph(graph, [&](const std::string&, const Graph& each) {
    for (const Node& node : each.nodes) {
      const bool quantized = node.op_type.starts_with("QLinear") ||
                             std::find(kOthers.begin(), kOthers.end(), node.op_type) != kOthers.end();
      found = found.empty() && quantized ? node_text(each, node) : found;
    }
  });
  if (!found.empty()) {
    return invalid_argument("the model is quantized already: it has " + found +
                            "; give the float model, or convert this one from int8 to uint8");
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
