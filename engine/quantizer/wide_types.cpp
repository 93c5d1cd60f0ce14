// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/wide_types.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/ir/subgraph.h"
#include "engine/quantizer/name_maker.h"

namespace assay::quantizer {
namespace {

constexpr Index kTargetOpset = 21;
constexpr Index kTargetIrVersion = 10;
constexpr Index kAxesBecomeInput = 18;

// Their axes are an attribute up to opset 17 and an input from 18 on.
constexpr std::array<std::string_view, 9> kReductions = {"ReduceL1",  "ReduceL2",   "ReduceLogSum",
                                                         "ReduceMax", "ReduceMean", "ReduceLogSumExp",
                                                         "ReduceMin", "ReduceProd", "ReduceSumSquare"};
constexpr std::array<std::string_view, 3> kChanged = {"DFT", "GridSample", "GroupNormalization"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, const Node& node) {
  return node.domain.empty() && std::find(names.begin(), names.end(), node.op_type) != names.end();
}

bool is_wide(DType dtype) { return is_4bit(dtype) || is_16bit(dtype); }

Status lift(Graph& graph, Node& node, Index from, NameMaker& names) {
  if (is_one_of(kChanged, node)) {
    return unsupported(node_text(graph, node) + ": cannot be lifted to opset " + std::to_string(kTargetOpset) +
                       ", which the quantized types need; export the model with that opset, or set "
                       "quantizer.contrib_qdq");
  }
  if (from >= kAxesBecomeInput) {
    return {};
  }
  if (is_one_of(kReductions, node) && node.has_attribute("axes")) {
    const std::vector<Index> axes = node.ints_attribute("axes");
    node.inputs.resize(2);
    node.inputs[1] = names.make(node.name + "_axes");
    graph.initializers[node.inputs[1]] = Tensor::from<Index>({static_cast<Index>(axes.size())}, axes);
    node.attributes.erase("axes");
  }
  if (node.domain.empty() && node.op_type == "Split" && node.input(1).empty()) {
    node.attributes["num_outputs"] = static_cast<Index>(node.outputs.size());
  }
  return {};
}

}  // namespace

bool needs_opset_21(const Graph& graph, const Options& options) {
  const auto is_half = [](DType dtype) { return dtype == DType::kFloat16; };
  bool has_half = false;
  for_each_graph(graph, [&](const std::string&, const Graph& each) {
    has_half = has_half ||
               std::any_of(each.inputs.begin(), each.inputs.end(),
                           [&](const ValueInfo& input) { return is_half(input.dtype); }) ||
               std::any_of(each.initializers.begin(), each.initializers.end(),
                           [&](const auto& entry) { return is_half(entry.second.dtype()); });
  });
  const bool has_blocks = options.block_size > 0;
  const bool activations = options.format == Format::kQdq && is_wide(options.activation_type);
  const bool overridden = std::any_of(options.overrides.begin(), options.overrides.end(), [](const auto& entry) {
    return entry.second.type && is_wide(*entry.second.type);
  });
  return has_half || has_blocks || activations || is_wide(options.weight_type) || overridden;
}

Status lift_to_opset_21(Graph& graph) {
  const Index from = graph.opset();
  if (from >= kTargetOpset) {
    return {};
  }
  NameMaker names(graph);
  for (Node& node : graph.nodes) {
    ASSAY_TRY(lift(graph, node, from, names));
  }
  graph.opsets[""] = kTargetOpset;
  graph.ir_version = std::max(graph.ir_version, kTargetIrVersion);
  return {};
}

}  // namespace assay::quantizer
