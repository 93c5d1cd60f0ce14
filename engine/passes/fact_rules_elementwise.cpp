// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/passes/fact_rules.h"

namespace assay::passes {
namespace {

void same_as_first(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  outputs[0].dims = context.input(0).dims;
}

void identity(const FactContext& context, Facts& outputs) { outputs[0] = context.input(0); }

std::optional<Dim> broadcast_dim(const Dim& a, const Dim& b) {
  if (same_dim(a, b) || b.size == 1) {
    return a;
  }
  if (a.size == 1) {
    return b;
  }
  // One is known and above 1: so is the result, or the run fails. (A size of 0 broadcasts only with 1 and itself.)
  if (a.known() != b.known()) {
    return a.known() ? a : b;
  }
  return a.known() ? std::nullopt : std::optional(Dim{});
}

std::optional<std::vector<Dim>> broadcast_dims(const std::vector<Dim>& a, const std::vector<Dim>& b) {
  std::vector<Dim> out(std::max(a.size(), b.size()));
  for (std::size_t i = 1; i <= out.size(); ++i) {
    const Dim one = known_dim(1);
    const auto dim = broadcast_dim(i <= a.size() ? a[a.size() - i] : one, i <= b.size() ? b[b.size() - i] : one);
    if (!dim.has_value()) {
      return std::nullopt;
    }
    out[out.size() - i] = *dim;
  }
  return out;
}

void broadcast_inputs(const FactContext& context, std::size_t first, ValueFacts& output) {
  output.dims = context.input(first).dims;
  for (std::size_t i = first + 1; i < context.inputs.size() && output.dims.has_value(); ++i) {
    const auto& dims = context.inputs[i].dims;
    output.dims = dims.has_value() ? broadcast_dims(*output.dims, *dims) : std::nullopt;
  }
}

// One of two elements that the operator leaves as it is, or the result of two known ones.
std::optional<Dim> combine(std::string_view op_type, const Dim& a, const Dim& b) {
  if (a.known() && b.known()) {
    Index result = -1;
    if (op_type == "Add") {
      result = a.size + b.size;
    } else if (op_type == "Sub") {
      result = a.size - b.size;
    } else if (op_type == "Mul" && (a.size == 0 || b.size <= kMaxElements / a.size)) {
      result = a.size * b.size;
    } else if (op_type == "Div" && b.size > 0) {
      result = a.size / b.size;
    }
    return result < 0 ? std::nullopt : std::optional(known_dim(result));
  }
  const bool keeps_a = ((op_type == "Mul" || op_type == "Div") && b.size == 1) ||
                       ((op_type == "Add" || op_type == "Sub") && b.size == 0);
  const bool keeps_b = (op_type == "Mul" && a.size == 1) || (op_type == "Add" && a.size == 0);
  return keeps_a ? a : keeps_b ? b : Dim{};
}

void arithmetic(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  broadcast_inputs(context, 0, outputs[0]);
  const auto& a = context.input(0).elements;
  const auto& b = context.input(1).elements;
  if (!a.has_value() || !b.has_value() || context.inputs.size() != 2 ||
      (a->size() != b->size() && a->size() != 1 && b->size() != 1)) {
    return;
  }
  std::vector<Dim> elements;
  for (std::size_t i = 0; i < (a->size() == 1 ? b->size() : a->size()); ++i) {
    const auto element = combine(context.node.op_type, (*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    if (!element.has_value()) {
      return;
    }
    elements.push_back(*element);
  }
  outputs[0].elements = std::move(elements);
}

void minimum_or_maximum(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  broadcast_inputs(context, 0, outputs[0]);
}

void compare(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = DType::kBool;
  broadcast_inputs(context, 0, outputs[0]);
}

void choose(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(1).dtype;
  broadcast_inputs(context, 0, outputs[0]);
}

constexpr std::array<std::pair<Index, DType>, 14> kProtoTypes = {{
    {1, DType::kFloat32},
    {2, DType::kUint8},
    {3, DType::kInt8},
    {4, DType::kUint16},
    {5, DType::kInt16},
    {6, DType::kInt32},
    {7, DType::kInt64},
    {9, DType::kBool},
    {10, DType::kFloat16},
    {11, DType::kFloat64},
    {12, DType::kUint32},
    {13, DType::kUint64},
    {16, DType::kBfloat16},
    {0, DType::kUndefined},
}};

void cast(const FactContext& context, Facts& outputs) {
  outputs[0].dims = context.input(0).dims;
  const Index to = context.node.int_attribute("to", 0);
  const auto* const found =
      std::find_if(kProtoTypes.begin(), kProtoTypes.end(), [&](const auto& row) { return row.first == to; });
  outputs[0].dtype = found == kProtoTypes.end() ? DType::kUndefined : found->second;
  if (outputs[0].dtype == DType::kInt64 || outputs[0].dtype == DType::kInt32) {
    outputs[0].elements = context.input(0).elements;
  }
}

void quantize(const FactContext& context, Facts& outputs) {
  outputs[0].dims = context.input(0).dims;
  const bool has_zero_point = !context.node.input(2).empty();
  const bool is_uint8 = !context.node.has_attribute("output_dtype");
  outputs[0].dtype = has_zero_point ? context.input(2).dtype : is_uint8 ? DType::kUint8 : DType::kUndefined;
}

void dequantize(const FactContext& context, Facts& outputs) {
  outputs[0].dims = context.input(0).dims;
  outputs[0].dtype = context.node.has_attribute("output_dtype") ? DType::kUndefined : context.input(1).dtype;
}

// y, its scale and its zero point.
void dynamic_quantize(const FactContext& context, Facts& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].dtype = i == 1 ? DType::kFloat32 : DType::kUint8;
    outputs[i].dims = i == 0 ? context.input(0).dims : std::optional(std::vector<Dim>());
  }
}

constexpr std::array kRules = {
    FactRule{"Abs", same_as_first},
    FactRule{"Add", arithmetic},
    FactRule{"BatchNormalization", same_as_first},
    FactRule{"Cast", cast},
    FactRule{"Ceil", same_as_first},
    FactRule{"Clip", same_as_first},
    FactRule{"Cos", same_as_first},
    FactRule{"DequantizeLinear", dequantize},
    FactRule{"Div", arithmetic},
    FactRule{"Dropout", same_as_first},
    FactRule{"DynamicQuantizeLinear", dynamic_quantize},
    FactRule{"Elu", same_as_first},
    FactRule{"Equal", compare},
    FactRule{"Erf", same_as_first},
    FactRule{"Exp", same_as_first},
    FactRule{"Floor", same_as_first},
    FactRule{"Gelu", same_as_first},
    FactRule{"Greater", compare},
    FactRule{"HardSigmoid", same_as_first},
    FactRule{"HardSwish", same_as_first},
    FactRule{"Identity", identity},
    FactRule{"InstanceNormalization", same_as_first},
    FactRule{"LayerNormalization", same_as_first},
    FactRule{"LeakyRelu", same_as_first},
    FactRule{"Less", compare},
    FactRule{"Log", same_as_first},
    FactRule{"LogSoftmax", same_as_first},
    FactRule{"Max", minimum_or_maximum},
    FactRule{"Min", minimum_or_maximum},
    FactRule{"Mul", arithmetic},
    FactRule{"Neg", same_as_first},
    FactRule{"Pow", minimum_or_maximum},
    FactRule{"PRelu", same_as_first},
    FactRule{"QuantizeLinear", quantize},
    FactRule{"Reciprocal", same_as_first},
    FactRule{"Relu", same_as_first},
    FactRule{"Round", same_as_first},
    FactRule{"Sigmoid", same_as_first},
    FactRule{"Sign", same_as_first},
    FactRule{"Sin", same_as_first},
    FactRule{"Softmax", same_as_first},
    FactRule{"Softplus", same_as_first},
    FactRule{"Sqrt", same_as_first},
    FactRule{"Sub", arithmetic},
    FactRule{"Tanh", same_as_first},
    FactRule{"Where", choose},
};

}  // namespace

std::span<const FactRule> elementwise_fact_rules() { return kRules; }

}  // namespace assay::passes
