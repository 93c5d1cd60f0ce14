// SPDX-License-Identifier: Apache-2.0
// One node on given operands, under any profile, host and thread count.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/runtime/plan.h"
#include "tests/engine/runtime/ops/run_operator.h"
#include "tests/support/kernel_runs.h"

namespace assay::test {

struct NodeRun {
  std::string op_type;
  std::string domain = {};
  AttributeMap attributes = {};
  std::vector<Tensor> inputs = {};  // an empty() tensor is an omitted optional
  std::vector<bool> computed = {};  // per input: not a constant of the graph (default: constant)
  Index opset = 13;
  std::size_t outputs = 1;
};

struct Setting {
  Profile profile = {};
  CpuFeatures features = host_features();
  int threads = 1;
  bool witness = false;
};

struct NodeOutcome {
  std::vector<Tensor> outputs;
  runtime::KernelInfo kernel;
  runtime::SaturationInfo saturation;
  bool saturates = false;
  Index multiply_accumulates = 0;
};

inline Result<NodeOutcome> run_node(const NodeRun& run, const Setting& setting) {
  Graph graph;
  graph.opsets = {{"", run.opset}, {kMicrosoftDomain, 1}, {kAssayDomain, 1}};
  Node node;
  node.name = "node";
  node.op_type = run.op_type;
  node.domain = run.domain;
  node.attributes = run.attributes;
  for (std::size_t i = 0; i < run.inputs.size(); ++i) {
    const std::string name = run.inputs[i].empty() ? "" : "input" + std::to_string(i);
    node.inputs.push_back(name);
    const bool computed = i < run.computed.size() && run.computed[i];
    if (!name.empty() && !computed) {
      graph.initializers[name] = run.inputs[i];
    } else if (!name.empty()) {
      ValueInfo info;
      info.name = name;
      info.dtype = run.inputs[i].dtype();
      graph.inputs.push_back(info);
    }
  }
  for (std::size_t i = 0; i < run.outputs; ++i) {
    node.outputs.push_back("output" + std::to_string(i));
  }
  graph.nodes.push_back(node);
  ASSAY_ASSIGN(const auto op, runtime::prepare_operator({.graph = graph,
                                                         .node = graph.nodes[0],
                                                         .profile = setting.profile,
                                                         .features = setting.features,
                                                         .threads = setting.threads}));
  NodeOutcome outcome;
  runtime::RunContext context{
      .inputs = run.inputs, .threads = setting.threads, .witness = setting.witness ? &outcome.saturation : nullptr};
  ASSAY_TRY(run_operator(*op, context));  // the second run must not depend on what the first left behind
  outcome.saturation = {};
  ASSAY_ASSIGN(outcome.outputs, run_operator(*op, context));
  outcome.kernel = op->kernel();
  record_kernel_run(outcome.kernel.kernel, outcome.kernel.native);
  outcome.saturates = op->saturates();
  outcome.multiply_accumulates = context.multiply_accumulates;
  return outcome;
}

// A value per arithmetic, made when it is first asked for: naive results are slow.
template <typename T>
class PerArithmetic {
 public:
  template <typename Make>
  const T& get(Arithmetic arithmetic, const Make& make) {
    auto found = values_.find(arithmetic);
    if (found == values_.end()) {
      found = values_.emplace(arithmetic, make(arithmetic)).first;
    }
    return found->second;
  }

 private:
  std::map<Arithmetic, T> values_;
};

// Every profile, natively with one thread and with two, and on a host that has nothing.
inline std::vector<Setting> all_settings() {
  const CpuFeatures nothing = capped(host_features(), Isa::kScalar);
  std::vector<Setting> settings;
  for (const Isa isa : all_isas()) {
    for (const Precision precision : {Precision::kFast, Precision::kExact}) {
      settings.push_back({.profile = {isa, precision}, .threads = 1});
      settings.push_back({.profile = {isa, precision}, .threads = 2});
      settings.push_back({.profile = {isa, precision}, .features = nothing, .threads = 1});
    }
  }
  return settings;
}

inline std::string setting_text(const Setting& setting) {
  return std::string(isa_name(setting.profile.isa)) + " " + std::string(precision_name(setting.profile.precision)) +
         (setting.features.sse41 ? " native" : " emulated") + " threads " + std::to_string(setting.threads);
}

// The message with which the node is refused, "" if it runs.
inline std::string refusal(const NodeRun& run) {
  const auto outcome = run_node(run, {});
  return outcome.ok() ? "" : outcome.error().message;
}

}  // namespace assay::test
