// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/clamp_policy.h"

#include <algorithm>
#include <set>

#include "engine/quantizer/operators.h"
#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

const Node& node_at(const Graph& graph, Index i) { return graph.nodes[static_cast<std::size_t>(i)]; }

bool is_quantized(const std::vector<NodePlan>& nodes, Index i) {
  return i >= 0 && nodes[static_cast<std::size_t>(i)].treatment == Treatment::kQuantized;
}

const Operands& operands_at(const std::vector<NodePlan>& nodes, Index i) {
  return nodes[static_cast<std::size_t>(i)].operands;
}

// A clamp that a chain can take in. One whose output stays float (quantizer.exclude_output_op_types) cannot be: nothing
// quantizes behind it.
bool is_chained_clamp(const std::vector<NodePlan>& nodes, Index i) {
  return is_quantized(nodes, i) && operands_at(nodes, i).role == Role::kClamp && !operands_at(nodes, i).outputs.empty();
}

// The uses of a value apart from one node, as messages name them: "Add 'add1'", "graph output 'y'".
std::vector<std::string> other_uses(const Graph& graph, const GraphIndex& index, const std::string& value,
                                    const Node& except) {
  std::vector<std::string> uses;
  for (const Index consumer : index.consumers(value)) {
    const Node& node = node_at(graph, consumer);
    if (&node != &except) {
      uses.push_back(short_text(node));
    }
  }
  if (graph.is_output(value)) {
    uses.push_back("graph output '" + value + "'");
  }
  return uses;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

// safe: grows a chain from the producer while each value has one use, a quantized clamp.
ClampChain safe_chain(const Graph& graph, const GraphIndex& index, const std::vector<NodePlan>& nodes, Index producer) {
  ClampChain chain{.producer = producer, .clamps = {}, .output = node_at(graph, producer).outputs[0]};
  while (index.consumer_count(chain.output) == 1 && !graph.is_output(chain.output)) {
    const Index next = index.consumers(chain.output)[0];
    if (!is_chained_clamp(nodes, next)) {
      break;
    }
    chain.clamps.push_back(next);
    chain.output = node_at(graph, next).outputs[0];
  }
  return chain;
}

// drop: every quantized clamp downstream of the producer's output through clamps only.
ClampChain drop_chain(const Graph& graph, const std::vector<NodePlan>& nodes, Index producer) {
  ClampChain chain{.producer = producer, .clamps = {}, .output = node_at(graph, producer).outputs[0]};
  std::set<std::string> reached = {chain.output};
  for (std::size_t i = static_cast<std::size_t>(producer) + 1; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (is_chained_clamp(nodes, static_cast<Index>(i)) && reached.contains(node.input(0))) {
      reached.insert(node.outputs[0]);
      chain.clamps.push_back(static_cast<Index>(i));
      chain.output = node.outputs[0];  // where clamps branch, the last one's range goes to all
    }
  }
  return chain;
}

void fold(const Graph& graph, const ClampChain& chain, Plan& plan) {
  const auto merge = [&](const std::string& value) {
    if (value != chain.output) {
      plan.merged[value] = chain.output;
    }
  };
  merge(node_at(graph, chain.producer).outputs[0]);
  for (const Index clamp : chain.clamps) {
    merge(node_at(graph, clamp).outputs[0]);
    plan.nodes[static_cast<std::size_t>(clamp)].treatment = Treatment::kFoldedClamp;
  }
}

ClampBounds chain_bounds(const Graph& graph, const ClampChain& chain) {
  ClampBounds bounds;
  for (const Index clamp : chain.clamps) {
    bounds = compose(bounds, *clamp_bounds(graph, node_at(graph, clamp)));
  }
  return bounds;
}

void settle_safe(const Graph& graph, const ClampChain& chain, Plan& plan) {
  const QuantParams& params = plan.activations.at(chain.output).params;
  const ClampBounds bounds = chain_bounds(graph, chain);
  const Node& producer = node_at(graph, chain.producer);
  const bool folds = clamps_by_itself(bounds, params);
  for (const Index clamp : chain.clamps) {
    NodePlan& node = plan.nodes[static_cast<std::size_t>(clamp)];
    node.treatment = Treatment::kFusedClamp;
    node.reason =
        (folds ? "folded into " : "clamped behind ") + short_text(producer) + ": " + clamp_reason(bounds, params);
  }
  if (folds) {
    fold(graph, chain, plan);
  } else {
    plan.nodes[static_cast<std::size_t>(chain.producer)].clamp = FusedClamp{.bounds = bounds, .output = chain.output};
  }
}

// What of the clamp is missing: the values beyond its bounds that the quantized range still holds and, as far as they
// were observed, the producer makes.
std::string lost_text(const ClampBounds& bounds, const QuantParams& params, const std::string& producer,
                      const ValueRange* observed) {
  const IntegerRange type = dtype_integer_range(params.dtype);
  const IntegerRange kept = quantized_bounds(bounds, params);
  std::vector<std::string> parts;
  if (kept.min > type.min) {
    double lowest = dequantize_value(type.min, params);
    if (observed != nullptr && observed->min < static_cast<double>(bounds.min)) {
      lowest = std::max(lowest, observed->min);
    }
    const std::string which = bounds.min == 0 ? "negative outputs" : "outputs below " + number_text(bounds.min);
    parts.push_back(which + " of " + producer + " down to " + number_text(lowest) + " stay");
  }
  if (kept.max < type.max) {
    double highest = dequantize_value(type.max, params);
    if (observed != nullptr && observed->max > static_cast<double>(bounds.max)) {
      highest = std::min(highest, observed->max);
    }
    parts.push_back("outputs above " + number_text(bounds.max) + " of " + producer + " up to " + number_text(highest) +
                    " stay");
  }
  return joined(parts);
}

void settle_drop(const Graph& graph, const ClampChain& chain, const RangeTable& ranges, Plan& plan) {
  const QuantParams& params = plan.activations.at(chain.output).params;
  const GraphIndex index(graph);
  const std::string producer = short_text(node_at(graph, chain.producer));
  const auto observed = ranges.find(node_at(graph, chain.producer).outputs[0]);
  fold(graph, chain, plan);
  for (const Index clamp : chain.clamps) {
    const Node& node = node_at(graph, clamp);
    const ClampBounds bounds = *clamp_bounds(graph, node);
    const std::string reason = clamp_reason(bounds, params);
    const bool clamps = clamps_by_itself(bounds, params);
    std::string& decision = plan.nodes[static_cast<std::size_t>(clamp)].reason;
    decision = clamps ? "folded into " : "dropped behind ";
    decision.append(producer).append(": ").append(reason);
    if (!clamps) {
      const ValueRange* range = observed == ranges.end() ? nullptr : &observed->second.range;
      plan.warnings.push_back(short_text(node) + ": dropped, but " + reason + ": " +
                              lost_text(bounds, params, producer, range));
    }
    const std::vector<std::string> others = other_uses(graph, index, node.input(0), node);
    if (!others.empty()) {
      plan.warnings.push_back(short_text(node) + ": dropped, but '" + node.input(0) + "' has other uses (" +
                              joined(others) + "), which now get the clamped range");
    }
  }
}

}  // namespace

std::vector<ClampChain> clamp_chains(const Graph& graph, const std::vector<NodePlan>& nodes, ReluPolicy policy) {
  std::vector<ClampChain> chains;
  if (policy == ReluPolicy::kKeep) {
    return chains;
  }
  const GraphIndex index(graph);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto producer = static_cast<Index>(i);
    if (!is_quantized(nodes, producer) || operands_at(nodes, producer).role == Role::kClamp ||
        operands_at(nodes, producer).outputs.empty()) {
      continue;
    }
    if (policy == ReluPolicy::kSafe && nodes[i].operands.shares) {
      continue;
    }
    ClampChain chain =
        policy == ReluPolicy::kSafe ? safe_chain(graph, index, nodes, producer) : drop_chain(graph, nodes, producer);
    if (!chain.clamps.empty()) {
      chains.push_back(std::move(chain));
    }
  }
  return chains;
}

void settle_chain(const Graph& graph, const ClampChain& chain, ReluPolicy policy, const RangeTable& ranges,
                  Plan& plan) {
  if (policy == ReluPolicy::kSafe) {
    settle_safe(graph, chain, plan);
  } else {
    settle_drop(graph, chain, ranges, plan);
  }
}

std::string own_clamp_reason(const Graph& graph, const Node& node, ReluPolicy policy) {
  if (policy == ReluPolicy::kKeep) {
    return "kept as a node of its own";
  }
  const GraphIndex index(graph);
  const std::vector<std::string> others = other_uses(graph, index, node.input(0), node);
  if (!others.empty()) {
    return "clamped on its own: '" + node.input(0) + "' is used by " + joined(others) + " too";
  }
  const Index producer = index.producer(node.input(0));
  return "clamped on its own: '" + node.input(0) + "' is " +
         (producer < 0 ? "a graph input" : "made by " + short_text(node_at(graph, producer)));
}

}  // namespace assay::quantizer
