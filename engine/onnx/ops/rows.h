// SPDX-License-Identifier: Apache-2.0
// Short ways to write the rows of a family's table.
#pragma once

#include "engine/onnx/schema.h"

namespace assay::onnx {

// How many inputs and outputs; the optional ones are the last.
struct Arity {
  std::size_t min_inputs = 1;
  std::size_t max_inputs = 1;
  std::size_t min_outputs = 1;
  std::size_t max_outputs = 1;
};

inline constexpr Arity kUnary = {};
inline constexpr Arity kBinary = {.min_inputs = 2, .max_inputs = 2};
inline constexpr Arity kVariadic = {.max_inputs = kUnlimited};

struct Opsets {
  Index first = kOldestOpset;
  Index last = kNewestOpset;
};

// An operator of ai.onnx; without opsets: every one this build knows.
constexpr OperatorSchema standard(std::string_view op_type, Arity arity,
                                  std::span<const AttributeSchema> attributes = {}, Opsets opsets = {}) {
  return {.domain = "",
          .op_type = op_type,
          .first_opset = opsets.first,
          .last_opset = opsets.last,
          .min_inputs = arity.min_inputs,
          .max_inputs = arity.max_inputs,
          .min_outputs = arity.min_outputs,
          .max_outputs = arity.max_outputs,
          .attributes = attributes};
}

constexpr OperatorSchema microsoft(std::string_view op_type, Arity arity,
                                   std::span<const AttributeSchema> attributes = {},
                                   std::uint32_t optional_inputs = 0) {
  return {.domain = kMicrosoftDomain,
          .op_type = op_type,
          .min_inputs = arity.min_inputs,
          .max_inputs = arity.max_inputs,
          .min_outputs = arity.min_outputs,
          .max_outputs = arity.max_outputs,
          .attributes = attributes,
          .optional_inputs = optional_inputs};
}

constexpr AttributeSchema int_attribute(std::string_view name, Opsets opsets = {.first = 1}) {
  return {.name = name, .kind = AttributeKind::kInt, .since = opsets.first, .until = opsets.last};
}
constexpr AttributeSchema ints_attribute(std::string_view name, Opsets opsets = {.first = 1}) {
  return {.name = name, .kind = AttributeKind::kInts, .since = opsets.first, .until = opsets.last};
}
constexpr AttributeSchema float_attribute(std::string_view name, Opsets opsets = {.first = 1}) {
  return {.name = name, .kind = AttributeKind::kFloat, .since = opsets.first, .until = opsets.last};
}
constexpr AttributeSchema floats_attribute(std::string_view name, Opsets opsets = {.first = 1}) {
  return {.name = name, .kind = AttributeKind::kFloats, .since = opsets.first, .until = opsets.last};
}
constexpr AttributeSchema string_attribute(std::string_view name, Opsets opsets = {.first = 1}) {
  return {.name = name, .kind = AttributeKind::kString, .since = opsets.first, .until = opsets.last};
}
constexpr AttributeSchema required(AttributeSchema attribute) {
  attribute.required = true;
  return attribute;
}

}  // namespace assay::onnx
