// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/composed.h"

#include <array>

#include "engine/runtime/ops/elementwise_operators.h"
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

struct ActivationRow {
  const char* name;
  OperatorFactory factory;
  std::array<const char*, 2> parameters;  // attributes, in the order in which fused operators list them
};

constexpr std::array<ActivationRow, 6> kActivations = {{
    {"Relu", prepare_relu, {}},
    {"Sigmoid", prepare_sigmoid, {}},
    {"Tanh", prepare_tanh, {}},
    {"LeakyRelu", prepare_leaky_relu, {"alpha", nullptr}},
    {"HardSigmoid", prepare_hard_sigmoid, {"alpha", "beta"}},
    {"Clip", prepare_clip_by_attributes, {"min", "max"}},
}};

}  // namespace

OperatorResult prepare_part(const PrepareContext& context, const PartNode& part, OperatorFactory factory) {
  Node node;
  node.name = context.node.name;
  node.op_type = part.op_type;
  node.inputs = part.inputs;
  node.outputs = {"part"};
  node.attributes = part.attributes;
  return factory({.graph = context.graph,
                  .node = node,
                  .profile = context.profile,
                  .features = context.features,
                  .threads = context.threads});
}

Status Part::run(RunContext& context, std::span<const Tensor> inputs, std::span<Tensor> places) {
  RunContext inner{.inputs = inputs, .threads = context.threads, .witness = context.witness};
  const Status status = op_->run(inner, outputs_);
  if (status.ok()) {
    std::move(outputs_.begin(), outputs_.begin() + static_cast<std::ptrdiff_t>(places.size()), places.begin());
    context.multiply_accumulates += inner.multiply_accumulates;
  }
  outputs_.clear();
  return status;
}

Result<Tensor> Part::run(RunContext& context, std::span<const Tensor> inputs) {
  Tensor first;
  ASSAY_TRY(run(context, inputs, {&first, 1}));
  return first;
}

OperatorResult prepare_activation(const PrepareContext& context, const std::string& name,
                                  const std::vector<float>& parameters) {
  if (name.empty()) {
    return std::unique_ptr<Operator>();
  }
  for (const ActivationRow& row : kActivations) {
    if (name != row.name) {
      continue;
    }
    PartNode part{.op_type = name, .inputs = {"x"}};
    for (std::size_t i = 0; i < row.parameters.size() && i < parameters.size(); ++i) {
      if (row.parameters[i] != nullptr) {
        part.attributes[row.parameters[i]] = parameters[i];
      }
    }
    return prepare_part(context, part, row.factory);
  }
  return unsupported("the activation '" + name + "' is not supported");
}

}  // namespace assay::runtime
