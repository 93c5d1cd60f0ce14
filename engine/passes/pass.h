// SPDX-License-Identifier: Apache-2.0
// Graph rewrites of the optimiser: one per file, one ordered list, each switchable by name.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/profile.h"
#include "engine/ir/graph.h"

namespace assay::passes {

enum class Level { kNone, kBasic, kExtended, kAll };

// Computes one node on constants; the runtime's own arithmetic, handed in so that passes do not depend on it.
using Evaluator = std::function<Result<std::vector<Tensor>>(const Graph&, const Node&, const std::vector<Tensor>&)>;

struct PassContext {
  Profile profile;
  Evaluator evaluate;
  // Whether runs refuse graph inputs that do not fit their declaration. False for the subgraphs of If, Loop and Scan.
  bool inputs_checked = true;
};

struct Pass {
  std::string_view name;
  Level first_level;
  std::string_view description;  // what it does, and what it may change numerically
  // Returns the number of rewrites. Leaves the graph sorted and free of dead nodes.
  Result<Index> (*run)(Graph& graph, const PassContext& context);
};

// In the order in which they run.
std::span<const Pass> passes();

struct OptimizeOptions {
  Level level = Level::kAll;
  std::vector<std::string> disabled;  // pass names; an unknown one is an error that lists the known ones
  PassContext context;
};

// Runs the passes of the level; returns those that changed something with their number of rewrites.
Result<std::vector<std::pair<std::string, Index>>> optimize(Graph& graph, const OptimizeOptions& options);

}  // namespace assay::passes
