// SPDX-License-Identifier: Apache-2.0
// Running a model under one configuration: optimise, plan (choose kernels, pack weights), run.
//
// For one profile the integer results are the same bytes on every host, thread count and batch split, native or
// emulated. docs/arithmetic.md states the formulas.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/api/model.h"
#include "engine/base/cpu_features.h"
#include "engine/base/profile.h"
#include "engine/runtime/record.h"

namespace assay::api {

enum class Optimization { kNone, kBasic, kExtended, kAll };
std::optional<Optimization> optimization_from_name(std::string_view name);  // "none", "basic", "extended", "all"
std::string_view optimization_name(Optimization level);

struct SessionOptions {
  Optimization optimization = Optimization::kAll;
  std::vector<std::string> disabled_passes;  // names from pass_names(); an unknown name is an error
  Profile profile;                           // isa is concrete: resolve "auto" with best_isa()
  CpuFeatures features = host_features();    // what may run natively; kernels beyond it are emulated
  int threads = 1;                           // 1..256
};

// Passes in the order in which level `all` runs them, with the first level that has each.
struct PassInfo {
  std::string name;
  Optimization first_level = Optimization::kBasic;
  std::string description;  // what it does and what it may change numerically
};
std::vector<PassInfo> pass_infos();

using runtime::KernelInfo;
using runtime::SaturationInfo;

using NamedTensors = std::map<std::string, Tensor>;

struct RunOptions {
  // Called with every value as it is computed (graph inputs and initializers excluded). Does not change the plan.
  // Values of a subgraph, its own inputs among them, are named NODE/ATTRIBUTE/VALUE ("if1/then_branch/y").
  std::function<void(const std::string& value, const Tensor& tensor)> tap;
  // Called after each node, with its position in optimized_graph().nodes.
  std::function<void(std::size_t node)> after_node;
  // The tap may get the elements of a float32 tensor in another order, under the value's own shape.
  bool tap_in_any_order = false;
  bool witness_saturation = false;
};

struct RunResult {
  NamedTensors outputs;
  std::vector<SaturationInfo> saturation;  // one entry per node with sat16-pairs arithmetic, if asked for
  std::vector<std::string> warnings = {};  // outputs whose shape is not the one that the graph declares
};

// Bytes of the intermediate tensors of a run, as laid into one arena for the runs that follow.
struct MemoryInfo {
  std::size_t arena_bytes = 0;    // of the arena
  std::size_t peak_bytes = 0;     // most that live at once: no arena can be smaller
  std::size_t sum_bytes = 0;      // without reuse
  std::size_t outside_bytes = 0;  // outputs, and other tensors that outlive a run
};

class Session {
 public:
  // Errors: kInvalidArgument (options), kUnsupported (an operator without a kernel), kInvalidModel.
  static Result<Session> create(const Model& model, const SessionOptions& options);

  // Inputs by name: types must equal the graph's, shapes must fit it. Not for concurrent use of one session.
  Result<RunResult> run(const NamedTensors& inputs, const RunOptions& options = {}) const;

  // One entry per node in execution order; the implementation behind float kernels is known after the first run.
  std::vector<KernelInfo> kernels() const;
  // The graph as optimised.
  const Graph& optimized_graph() const;
  // Passes that changed something, in order, with the number of rewrites.
  const std::vector<std::pair<std::string, Index>>& applied_passes() const;
  // Multiply-accumulates of the last run's shapes; 2 operations each.
  Index multiply_accumulates() const;
  // For the shapes of the last run without a tap; zeros before it.
  MemoryInfo memory() const;

  struct Impl;

 private:
  explicit Session(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace assay::api
