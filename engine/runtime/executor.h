// SPDX-License-Identifier: Apache-2.0
// Runs a plan on one set of inputs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/runtime/plan.h"
#include "engine/runtime/tap.h"

namespace assay::runtime {

struct ExecuteOptions {
  // Called with every computed value, in order; graph inputs and constants excluded. Values of a subgraph, its own
  // inputs among them, are named NODE/ATTRIBUTE/VALUE ("if1/then_branch/y").
  Tap tap;
  // Called after each node, with its position in the graph's nodes.
  std::function<void(std::size_t node)> after_node;
  // The tap may get the elements of a float32 tensor in another order (its shape is the value's all the same): for
  // ranges and counts, to which the order does not matter.
  bool tap_in_any_order = false;
  bool witness_saturation = false;
};

struct ExecuteResult {
  std::map<std::string, Tensor> outputs;
  std::vector<SaturationInfo> saturation;  // one per node that can saturate, if asked for
  Index multiply_accumulates = 0;
};

// Errors: kInvalidArgument (an input is missing, unknown, or of another type or shape than the graph states),
// kInvalidModel (an output is of another type than the graph states), and the operators' own with the node's name in
// front. Operators keep caches, so a plan runs in one thread at a time. Without a tap, which may keep tensors, the
// run's tensors lie in the plan's arena.
Result<ExecuteResult> execute(const Plan& plan, const std::map<std::string, Tensor>& inputs,
                              const ExecuteOptions& options = {});

// A subgraph's run: inputs and outputs by position, in the order of the graph's, unchecked. Adds to
// `multiply_accumulates`. The caller has set the thread count.
Result<std::vector<Tensor>> execute_values(const Plan& plan, std::vector<Tensor> inputs, Index& multiply_accumulates,
                                           const Tap& tap = {});

// Checks inputs against the graph: every input there, no others, types equal, ranks and fixed dimensions equal,
// dimensions of one name equal throughout.
Status check_inputs(const Graph& graph, const std::map<std::string, Tensor>& inputs);

}  // namespace assay::runtime
