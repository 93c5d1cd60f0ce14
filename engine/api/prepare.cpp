// SPDX-License-Identifier: Apache-2.0
#include "engine/api/prepare.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "engine/api/observe.h"
#include "engine/api/softmax_shapes.h"
#include "engine/ir/subgraph.h"
#include "engine/passes/pass.h"
#include "engine/quantizer/prepare/bias_correction.h"
#include "engine/quantizer/prepare/equalize.h"
#include "engine/quantizer/prepare/fuse_bias.h"
#include "engine/quantizer/prepare/smooth.h"
#include "engine/quantizer/quantize_graph.h"
#include "engine/runtime/evaluate.h"

namespace assay::api {
namespace {

struct Folding {
  std::string_view pass;
  bool (*wanted)(const quantizer::Options& options);
};

// The optimiser's passes that prepare a model: a BatchNormalization that is part of its Conv needs no quantization of
// its own, and a weight that is computed from constants is one.
constexpr std::array<Folding, 3> kFoldings = {{
    {"constant_folding", [](const quantizer::Options& options) { return options.fold_constants; }},
    {"fold_batch_normalization", [](const quantizer::Options& options) { return options.fold_batch_normalization; }},
    {"eliminate_identity", [](const quantizer::Options&) { return true; }},
}};

Status fold(Graph& graph, const quantizer::Options& options, std::vector<std::string>& lines) {
  passes::OptimizeOptions settings;
  settings.level = passes::Level::kBasic;
  settings.context.profile = {.isa = Isa::kScalar, .precision = Precision::kExact};
  settings.context.evaluate = runtime::evaluate_node;
  for (const passes::Pass& pass : passes::passes()) {
    const bool wanted = std::any_of(kFoldings.begin(), kFoldings.end(), [&](const Folding& folding) {
      return folding.pass == pass.name && folding.wanted(options);
    });
    if (!wanted) {
      settings.disabled.emplace_back(pass.name);
    }
  }
  ASSAY_ASSIGN(const auto applied, passes::optimize(graph, settings));
  for (const auto& [pass, rewrites] : applied) {
    lines.push_back(pass + ": " + std::to_string(rewrites));
  }
  return {};
}

void append(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

// Overrides for the prepared model: one for a weight that a BatchNormalization was multiplied into is meant for the
// product.
quantizer::Options prepared_options(const Graph& original, const Graph& prepared, const quantizer::Options& options) {
  quantizer::Options adapted = options;
  for (const Node& node : prepared.nodes) {
    const auto before = std::find_if(original.nodes.begin(), original.nodes.end(),
                                     [&](const Node& other) { return other.name == node.name; });
    if (before == original.nodes.end() || before->input(1) == node.input(1)) {
      continue;
    }
    const auto setting = options.overrides.find(before->input(1));
    if (setting != options.overrides.end() && original.constant(setting->first) != nullptr) {
      adapted.overrides[node.input(1)] = setting->second;
      if (prepared.constant(setting->first) == nullptr) {
        adapted.overrides.erase(setting->first);
      }
    }
  }
  return adapted;
}

// Values that do not depend on the inputs.
std::set<std::string> constant_values(const Graph& graph) {
  std::set<std::string> values;
  for (const Node& node : graph.nodes) {
    const bool constant = std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
      return input.empty() || graph.constant(input) != nullptr || values.contains(input);
    });
    if (constant && !node.inputs.empty()) {
      values.insert(node.outputs.begin(), node.outputs.end());
    }
  }
  return values;
}

// The node that makes the first computed input, or -1.
Index front_of(const Node& node, const GraphIndex& index) {
  for (const std::string& input : node.inputs) {
    if (const Index producer = index.producer(input); producer >= 0) {
      return producer;
    }
  }
  return -1;
}

// Those of one graph; names in reports begin with `prefix`.
void decide(const Graph& original, const std::string& prefix, const std::vector<quantizer::NodeReport>& reports,
            std::vector<NodeDecision>& decided) {
  const auto find = [&](const auto& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.node == prefix + name; });
  };
  const GraphIndex index(original);
  const std::set<std::string> constants = constant_values(original);
  for (const Node& node : original.nodes) {
    NodeDecision decision{.node = prefix + node.name, .op_type = node.op_type, .quantized = false, .reason = ""};
    if (const auto report = find(reports, node.name); report != reports.end()) {
      decision.quantized = report->quantized;
      decision.reason = report->reason;
    } else if (!node.outputs.empty() && constants.contains(node.outputs[0])) {
      decision.reason = "computed before quantization: its inputs are constant";
    } else if (const Index producer = front_of(node, index); producer >= 0) {
      const Node& front = original.nodes[static_cast<std::size_t>(producer)];
      const auto merged = find(decided, front.name);
      decision.quantized = merged != decided.end() && merged->quantized;
      decision.reason = "merged into " + front.op_type + " '" + front.name + "' before quantization";
    } else {
      decision.reason = "removed before quantization: it has no effect";
    }
    decided.push_back(std::move(decision));
  }
}

Status smooth(PreparedModel& prepared, const CalibrationSource& source) {
  const auto values = quantizer::smoothed_values(prepared.model.graph(), prepared.options);
  if (values.empty()) {
    prepared.lines.emplace_back("smooth_quant: no MatMul or Gemm reads a value that could be smoothed");
    return {};
  }
  ASSAY_ASSIGN(const auto magnitudes,
               last_axis_magnitudes(prepared.model, source, prepared.options.calibration.threads, values));
  Graph graph = prepared.model.graph();
  ASSAY_ASSIGN(const quantizer::Smoothing done, quantizer::smooth(graph, magnitudes, prepared.options));
  append(prepared.lines, done.lines);
  append(prepared.options.nodes_to_exclude, done.float_nodes);
  ASSAY_ASSIGN(prepared.model, Model::from_graph(std::move(graph)));
  return {};
}

}  // namespace

Result<PreparedModel> prepare(const Model& model, const CalibrationSource& source, const quantizer::Options& options) {
  std::vector<std::string> lines;
  Graph graph = model.graph();
  ASSAY_TRY(fold(graph, options, lines));
  const quantizer::Options adapted = prepared_options(model.graph(), graph, options);
  if (options.fuse_bias && quantizer::needs_ranges(options)) {
    ASSAY_ASSIGN(const auto fused, quantizer::fuse_bias(graph, adapted));
    append(lines, fused);
  }
  if (options.equalize) {
    ASSAY_ASSIGN(const auto equalized, quantizer::equalize(graph, adapted));
    append(lines, equalized);
    if (equalized.empty()) {
      lines.emplace_back("equalize: no two layers follow each other so that a factor could be moved");
    }
  }
  state_softmax_shapes(graph);
  ASSAY_ASSIGN(Model folded, Model::from_graph(std::move(graph)));
  PreparedModel prepared{.model = std::move(folded), .options = adapted, .lines = std::move(lines)};
  if (options.smooth_quant) {
    ASSAY_TRY(smooth(prepared, source));
  }
  return prepared;
}

Result<PreparedModel> corrected(const PreparedModel& prepared, const CalibrationSource& source,
                                const quantizer::RangeTable& ranges) {
  // The integer operators compute what the QDQ form computes.
  quantizer::Options options = prepared.options;
  options.format = options.format == quantizer::Format::kQOperator ? quantizer::Format::kQdq : options.format;
  Graph graph = prepared.model.graph();
  ASSAY_ASSIGN(const quantizer::QuantizedGraph quantized, quantizer::quantize_graph(graph, ranges, options));
  ASSAY_ASSIGN(quantizer::BiasMeasurement measurement, quantizer::measure_bias(graph, quantized.graph, options));
  std::map<std::string, ChannelMean> means;
  for (const quantizer::BiasProbe& probe : measurement.probes) {
    means[probe.quantized].last_axis = probe.last_axis;
    means[probe.real].last_axis = probe.last_axis;
  }
  ASSAY_ASSIGN(const Model measured, Model::from_graph(std::move(measurement.graph)));
  ASSAY_TRY(channel_means(measured, source, options.calibration.threads, means));
  PreparedModel result = prepared;
  for (const quantizer::BiasProbe& probe : measurement.probes) {
    std::vector<double> error = means[probe.quantized].mean;
    const std::vector<double>& real = means[probe.real].mean;
    if (error.empty() || error.size() != real.size()) {
      continue;  // never computed
    }
    std::transform(error.begin(), error.end(), real.begin(), error.begin(), [](double a, double b) { return a - b; });
    ASSAY_TRY(quantizer::correct_bias(graph, probe, error));
    result.lines.push_back("corrected the bias of '" + probe.node + "'");
  }
  ASSAY_ASSIGN(result.model, Model::from_graph(std::move(graph)));
  return result;
}

std::vector<NodeDecision> decisions(const Graph& original, const std::vector<quantizer::NodeReport>& reports) {
  std::vector<NodeDecision> decided;
  for_each_graph(original,
                 [&](const std::string& prefix, const Graph& graph) { decide(graph, prefix, reports, decided); });
  return decided;
}

}  // namespace assay::api
