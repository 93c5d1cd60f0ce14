// SPDX-License-Identifier: Apache-2.0
// ReluPolicy: which clamps are joined to the node in front of them.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/plan.h"

namespace assay::quantizer {

// Clamp nodes, in order, behind one quantized producer, and the value that is quantized for all of them.
struct ClampChain {
  Index producer = -1;
  std::vector<Index> clamps;
  std::string output;
};

// The chains of a policy, given which nodes are quantized (Treatment::kQuantized in `nodes`).
//   safe: every clamp whose input has no other use and is made by a quantized node with an output range of its own, or
//   by
//         such a clamp. drop: every clamp whose input a quantized node makes. keep: none.
std::vector<ClampChain> clamp_chains(const Graph& graph, const std::vector<NodePlan>& nodes, ReluPolicy policy);

// Once the parameters of the chain's output are known: folds or fuses (safe), or folds and warns (drop), and records it
// in the plan.
void settle_chain(const Graph& graph, const ClampChain& chain, ReluPolicy policy, const RangeTable& ranges, Plan& plan);

// Why a clamp is in no chain although its input is quantized (safe, keep).
std::string own_clamp_reason(const Graph& graph, const Node& node, ReluPolicy policy);

}  // namespace assay::quantizer
