// SPDX-License-Identifier: Apache-2.0
#include "engine/api/session.h"

#include <algorithm>
#include <array>

#include "engine/passes/pass.h"
#include "engine/runtime/evaluate.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/guard.h"
#include "engine/runtime/plan.h"

namespace assay::api {
namespace {

constexpr int kMaxThreads = 256;

struct LevelRow {
  Optimization level;
  passes::Level pass_level;
  std::string_view name;
};

// In the order of the enum, so that a level indexes its row.
constexpr std::array<LevelRow, 4> kLevels = {{
    {Optimization::kNone, passes::Level::kNone, "none"},
    {Optimization::kBasic, passes::Level::kBasic, "basic"},
    {Optimization::kExtended, passes::Level::kExtended, "extended"},
    {Optimization::kAll, passes::Level::kAll, "all"},
}};

const LevelRow& row_of(Optimization level) { return kLevels[static_cast<std::size_t>(level)]; }

Optimization from_pass_level(passes::Level level) {
  for (const LevelRow& row : kLevels) {
    if (row.pass_level == level) {
      return row.level;
    }
  }
  return Optimization::kAll;
}

Status check_options(const SessionOptions& options) {
  if (options.threads < 1 || options.threads > kMaxThreads) {
    return invalid_argument("threads must lie in [1, " + std::to_string(kMaxThreads) + "]; found " +
                            std::to_string(options.threads));
  }
  return host_isa_override_error();
}

}  // namespace

struct Session::Impl {
  runtime::Plan plan;
  std::vector<std::pair<std::string, Index>> applied_passes;
  Index multiply_accumulates = 0;
};

namespace {

Result<std::shared_ptr<Session::Impl>> make_session(const Model& model, const SessionOptions& options) {
  ASSAY_TRY(check_options(options));
  auto impl = std::make_shared<Session::Impl>();
  auto graph = std::make_shared<Graph>(model.graph());
  ASSAY_TRY(topological_sort(*graph));
  ASSAY_ASSIGN(impl->applied_passes,
               passes::optimize(*graph, {.level = row_of(options.optimization).pass_level,
                                         .disabled = options.disabled_passes,
                                         .context = {.profile = options.profile, .evaluate = runtime::evaluate_node}}));
  ASSAY_ASSIGN(impl->plan, runtime::build_plan(
                               std::move(graph),
                               {.profile = options.profile, .features = options.features, .threads = options.threads}));
  return impl;
}

}  // namespace

std::optional<Optimization> optimization_from_name(std::string_view name) {
  for (const LevelRow& row : kLevels) {
    if (row.name == name) {
      return row.level;
    }
  }
  return std::nullopt;
}

std::string_view optimization_name(Optimization level) { return row_of(level).name; }

std::vector<PassInfo> pass_infos() {
  std::vector<PassInfo> infos;
  for (const passes::Pass& pass : passes::passes()) {
    infos.push_back({.name = std::string(pass.name),
                     .first_level = from_pass_level(pass.first_level),
                     .description = std::string(pass.description)});
  }
  return infos;
}

Result<Session> Session::create(const Model& model, const SessionOptions& options) {
  return runtime::guarded([&]() -> Result<Session> {
    ASSAY_ASSIGN(auto impl, make_session(model, options));
    return Session(std::move(impl));
  });
}

namespace {

bool fits(const std::vector<Dim>& declared, const Shape& shape) {
  return std::ranges::equal(declared, shape,
                            [](const Dim& dim, Index size) { return !dim.known() || dim.size == size; });
}

// The outputs are right as computed: what the graph declares of them is not.
std::vector<std::string> undeclared_shapes(const Graph& graph, const NamedTensors& outputs) {
  std::vector<std::string> warnings;
  for (const ValueInfo& output : graph.outputs) {
    const Shape& shape = outputs.at(output.name).shape();
    if (output.has_shape && !fits(output.dims, shape)) {
      std::string text = "output '" + output.name + "' is declared [";
      for (const Dim& dim : output.dims) {
        text += (text.back() == '[' ? "" : ",") + (dim.known()        ? std::to_string(dim.size)
                                                   : dim.name.empty() ? "?"
                                                                      : dim.name);
      }
      warnings.push_back(text + "]; its shape is " + shape_text(shape));
    }
  }
  return warnings;
}

}  // namespace

Result<RunResult> Session::run(const NamedTensors& inputs, const RunOptions& options) const {
  return runtime::guarded([&]() -> Result<RunResult> {
    ASSAY_ASSIGN(auto executed, runtime::execute(impl_->plan, inputs,
                                                 {.tap = options.tap,
                                                  .after_node = options.after_node,
                                                  .tap_in_any_order = options.tap_in_any_order,
                                                  .witness_saturation = options.witness_saturation}));
    impl_->multiply_accumulates = executed.multiply_accumulates;
    std::vector<std::string> warnings = undeclared_shapes(*impl_->plan.graph, executed.outputs);
    return RunResult{.outputs = std::move(executed.outputs),
                     .saturation = std::move(executed.saturation),
                     .warnings = std::move(warnings)};
  });
}

std::vector<KernelInfo> Session::kernels() const { return runtime::kernels(impl_->plan); }

const Graph& Session::optimized_graph() const { return *impl_->plan.graph; }

const std::vector<std::pair<std::string, Index>>& Session::applied_passes() const { return impl_->applied_passes; }

Index Session::multiply_accumulates() const { return impl_->multiply_accumulates; }

MemoryInfo Session::memory() const {
  const BlockArena::Sizes sizes = impl_->plan.memory->sizes();
  return {.arena_bytes = sizes.arena_bytes,
          .peak_bytes = sizes.peak_bytes,
          .sum_bytes = sizes.sum_bytes,
          .outside_bytes = sizes.outside_bytes};
}

}  // namespace assay::api
