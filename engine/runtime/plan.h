// SPDX-License-Identifier: Apache-2.0
// A plan: every node of a sorted graph prepared for running, and every value given an index, so that running a step
// looks nothing up by name. A plan depends on the graph, the profile and the thread count, not on input shapes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/cpu_features.h"
#include "engine/base/profile.h"
#include "engine/ir/graph.h"
#include "engine/runtime/operator.h"
#include "engine/runtime/run_memory.h"

namespace assay::runtime {

struct PlanOptions {
  Profile profile;
  CpuFeatures features = host_features();  // what may run natively
  int threads = 1;
  bool carry_blocks = true;  // between operators, channel_blocks.h; no bit of a value depends on it
};

inline constexpr Index kNoValue = -1;  // an omitted optional input or output

struct PlanStep {
  std::size_t node = 0;  // position in graph.nodes
  std::unique_ptr<Operator> op;
  std::vector<Index> inputs;   // value indices, kNoValue where omitted
  std::vector<Index> outputs;  // likewise
  std::vector<Index> release;  // values that no later step and no graph output needs
  std::vector<char> dies;      // by input: 1 where it is this step's alone and its memory is nobody else's
  bool makes_blocks = false;   // even where no input is in channel blocks: an operator behind it takes them
};

struct Plan {
  std::shared_ptr<const Graph> graph;
  PlanOptions options;
  std::vector<std::string> values;  // names by index
  std::vector<Tensor> constants;    // by value index; empty() where the value is computed
  std::vector<Index> inputs;        // value index of each graph input
  std::vector<Index> outputs;       // value index of each graph output
  std::vector<PlanStep> steps;      // in execution order, one per node
  std::shared_ptr<RunMemory> memory = std::make_shared<RunMemory>();  // of its runs, filled by them
};

// `graph` is topologically sorted. Errors: kUnsupported (a node without an operator: named with its domain and opset),
// kInvalidModel (a value used before it is made), and the operators' own.
Result<Plan> build_plan(std::shared_ptr<const Graph> graph, const PlanOptions& options);

// One entry per node in execution order.
std::vector<KernelInfo> kernels(const Plan& plan);

// The prepared operator of one node. Errors as build_plan's.
Result<std::unique_ptr<Operator>> prepare_operator(const PrepareContext& context);

// `error` with the node's text in front, unless it is there already.
Error with_node(const Graph& graph, const Node& node, const Error& error);

// The row for a node ("ai.onnx" means ""), or null.
const OperatorRow* find_operator(const Node& node);

}  // namespace assay::runtime
