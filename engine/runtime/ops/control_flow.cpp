// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/control_flow.h"

#include "engine/ir/subgraph.h"

namespace assay::runtime {

Result<Subgraphs> Subgraphs::make(const PrepareContext& context, const std::vector<std::string>& keys) {
  Subgraphs out;
  out.keys_ = keys;
  out.node_ = context.node.name;
  Node node = context.node;
  for (std::size_t i = node.own_inputs(); i < node.inputs.size(); ++i) {
    if (context.constant(i) == nullptr) {
      out.kept_.push_back(i);
    }
  }
  bind_constant_captures(context.graph, node);
  for (const std::string& key : keys) {
    GraphPtr graph = node.graph_attribute(key);
    if (graph == nullptr) {
      return invalid_model("the attribute " + key + " is missing");
    }
    Result<Plan> plan = build_plan(
        std::move(graph), {.profile = context.profile, .features = context.features, .threads = context.threads});
    if (!plan.ok()) {
      return Error{plan.error().kind, key + ": " + plan.error().message};
    }
    out.plans_.push_back(std::move(plan).value());
  }
  return out;
}

Result<std::vector<Tensor>> Subgraphs::run(std::size_t which, std::vector<Tensor> own, RunContext& context) const {
  Tap tap;
  if (const Tap* outer = current_tap(); outer != nullptr) {
    tap = [outer, prefix = node_ + "/" + keys_[which] + "/"](const std::string& value, const Tensor& tensor) {
      (*outer)(prefix + value, tensor);
    };
    for (std::size_t i = 0; i < own.size(); ++i) {
      tap(plans_[which].graph->inputs[i].name, own[i]);
    }
  }
  for (const std::size_t position : kept_) {
    own.push_back(context.input(position));
  }
  Result<std::vector<Tensor>> outputs =
      execute_values(plans_[which], std::move(own), context.multiply_accumulates, tap);
  if (!outputs.ok()) {
    return Error{outputs.error().kind, keys_[which] + ": " + outputs.error().message};
  }
  return outputs;
}

std::vector<KernelInfo> Subgraphs::kernels() const {
  std::vector<KernelInfo> infos;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    for (KernelInfo& info : runtime::kernels(plans_[i])) {
      info.node.insert(0, keys_[i] + "/");
      infos.push_back(std::move(info));
    }
  }
  return infos;
}

KernelInfo control_kernel() { return plain_kernel("move", "control"); }

}  // namespace assay::runtime
