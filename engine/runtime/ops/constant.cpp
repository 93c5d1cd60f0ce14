// SPDX-License-Identifier: Apache-2.0
// Constant: its attribute as a tensor. Loading turns these nodes into initializers; graphs made in memory may keep
// them.
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

Result<Tensor> constant_value(const Node& node) {
  for (const auto& [name, attribute] : node.attributes) {
    if (name == "value" && std::holds_alternative<Tensor>(attribute)) {
      return std::get<Tensor>(attribute);
    }
    if (name == "value_float" && std::holds_alternative<float>(attribute)) {
      return Tensor::scalar(std::get<float>(attribute));
    }
    if (name == "value_int" && std::holds_alternative<Index>(attribute)) {
      return Tensor::scalar(std::get<Index>(attribute));
    }
    if (name == "value_floats" && std::holds_alternative<std::vector<float>>(attribute)) {
      const auto& values = std::get<std::vector<float>>(attribute);
      return Tensor::from<float>({static_cast<Index>(values.size())}, values);
    }
    if (name == "value_ints" && std::holds_alternative<std::vector<Index>>(attribute)) {
      const auto& values = std::get<std::vector<Index>>(attribute);
      return Tensor::from<Index>({static_cast<Index>(values.size())}, values);
    }
  }
  return unsupported("one of value, value_float, value_floats, value_int and value_ints is required");
}

}  // namespace

OperatorResult prepare_constant(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 0, 0));
  ASSAY_ASSIGN(const Tensor value, constant_value(context.node));
  return make_operator([value](const RunContext&) -> Result<Tensor> { return value; }, "move", "view");
}

}  // namespace assay::runtime
