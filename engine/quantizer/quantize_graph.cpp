// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/quantize_graph.h"

#include <algorithm>

#include "engine/ir/subgraph.h"
#include "engine/quantizer/emit.h"
#include "engine/quantizer/emit_dynamic.h"
#include "engine/quantizer/plan.h"
#include "engine/quantizer/subgraphs.h"
#include "engine/quantizer/upgrade_opset.h"
#include "engine/quantizer/wide_types.h"

namespace assay::quantizer {
namespace {

std::vector<TensorReport> activation_reports(const Plan& plan) {
  std::vector<TensorReport> reports;
  for (const auto& [name, activation] : plan.activations) {
    reports.push_back({.tensor = name,
                       .dtype = activation.params.dtype,
                       .scales = {static_cast<double>(activation.params.scale)},
                       .zero_points = {activation.params.zero_point},
                       .axis = -1,
                       .min = activation.range.min,
                       .max = activation.range.max});
  }
  return reports;
}

std::vector<NodeReport> node_reports(const Graph& graph, const Plan& plan) {
  std::vector<NodeReport> reports;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    reports.push_back({.node = graph.nodes[i].name,
                       .op_type = graph.nodes[i].op_type,
                       .quantized = plan.nodes[i].treatment != Treatment::kFloat,
                       .reason = plan.nodes[i].reason});
  }
  return reports;
}

struct GraphArgs {
  const Graph& graph;
  const RangeTable& ranges;
  const Options& options;
  bool wide = false;         // opset 21 is needed somewhere in the model
  std::string float_reason;  // why nothing in it is quantized; "": something is
};

Result<QuantizedGraph> left_float(Graph graph, const std::string& reason) {
  QuantizedGraph result;
  for (const Node& node : graph.nodes) {
    result.nodes.push_back({.node = node.name, .op_type = node.op_type, .quantized = false, .reason = reason});
  }
  result.graph = std::move(graph);
  return result;
}

Result<QuantizedGraph> quantize_planned(const Graph& graph, const RangeTable& ranges, const Options& options) {
  ASSAY_ASSIGN(const Plan plan, make_plan(graph, ranges, options));
  ASSAY_ASSIGN(QuantizedGraph result, options.format == Format::kQOperator ? emit_qoperator(graph, plan, options)
                                                                           : emit_qdq(graph, plan, options));
  result.warnings.insert(result.warnings.begin(), plan.warnings.begin(), plan.warnings.end());
  std::vector<TensorReport> tensors = activation_reports(plan);
  tensors.insert(tensors.end(), result.tensors.begin(), result.tensors.end());
  result.tensors = std::move(tensors);
  result.nodes = node_reports(graph, plan);
  return result;
}

template <typename T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// The model's graph, or one of its bodies. Reports of bodies follow those of the graph around them.
Result<QuantizedGraph> quantize_one(const GraphArgs& args) {
  Graph graph = args.graph;
  RangeTable ranges = args.ranges;
  ASSAY_TRY(upgrade_opset(graph, ranges));
  if (args.wide) {
    ASSAY_TRY(lift_to_opset_21(graph));
  }
  QuantizedGraph bodies;
  const QuantizeBody quantize_body = [&](const Graph& body, const RangeTable& inner, const Options& options,
                                         const std::string& reason) {
    return quantize_one(
        {.graph = body, .ranges = inner, .options = options, .wide = args.wide, .float_reason = reason});
  };
  ASSAY_TRY(quantize_subgraphs(graph, ranges, args.options, args.float_reason, quantize_body, bodies));
  const bool dynamic = args.options.format == Format::kDynamic;
  ASSAY_ASSIGN(QuantizedGraph result, !args.float_reason.empty() ? left_float(std::move(graph), args.float_reason)
                                      : dynamic                  ? emit_dynamic(graph, args.options)
                                                                 : quantize_planned(graph, ranges, args.options));
  append(result.nodes, bodies.nodes);
  append(result.tensors, bodies.tensors);
  append(result.warnings, bodies.warnings);
  return result;
}

// Overrides of tensors that no quantized node has, or that a folded clamp did away with.
void warn_of_unused_overrides(const Options& options, QuantizedGraph& result) {
  for (const auto& [name, setting] : options.overrides) {
    const bool used = std::any_of(result.tensors.begin(), result.tensors.end(),
                                  [&tensor = name](const TensorReport& report) { return report.tensor == tensor; });
    if (!used) {
      result.warnings.push_back("quantizer.overrides for '" + name +
                                "' has no effect: the quantized model has no parameters for that tensor");
    }
  }
}

}  // namespace

Result<QuantizedGraph> quantize_graph(const Graph& float_graph, const RangeTable& observed, const Options& options) {
  const bool wide = options.format != Format::kDynamic && needs_opset_21(float_graph, options) && !options.contrib_qdq;
  ASSAY_ASSIGN(
      QuantizedGraph result,
      quantize_one({.graph = float_graph, .ranges = observed, .options = options, .wide = wide, .float_reason = ""}));
  make_subgraph_names_unique(result.graph);
  warn_of_unused_overrides(options, result);
  return result;
}

std::optional<std::set<std::string>> ranges_that_matter(const Graph& float_graph, const Options& options) {
  std::size_t graphs = 0;
  for_each_graph(float_graph, [&](const std::string&, const Graph&) { ++graphs; });
  Graph graph = float_graph;
  RangeTable none;
  if (graphs != 1 || !upgrade_opset(graph, none).ok()) {
    return std::nullopt;
  }
  std::optional<std::set<std::string>> asked = asked_ranges(graph, options);
  const auto made = made_names(float_graph);
  const bool known =
      asked && std::all_of(asked->begin(), asked->end(), [&](const std::string& name) { return made.contains(name); });
  return known ? std::move(asked) : std::nullopt;
}

RangeTable range_table(const Options& options) {
  RangeTable table;
  for (const auto& [name, range] : options.ranges) {
    table[name] = {.range = {.min = range.first, .max = range.second}, .fault = "", .rank = -1};
  }
  return table;
}

}  // namespace assay::quantizer
