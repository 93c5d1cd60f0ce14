// SPDX-License-Identifier: Apache-2.0
// What a node of each operator may look like: one row per operator and form, one file per operator family in ops/.
// Adding an operator: one row there. An operator whose form changed between opsets has one row per form.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/onnx/versions.h"

namespace assay::onnx {

// In the order of the alternatives of assay::Attribute.
enum class AttributeKind : std::uint8_t { kInt, kFloat, kString, kInts, kFloats, kStrings, kTensor, kGraph };
std::string_view attribute_kind_name(AttributeKind kind);
AttributeKind attribute_kind(const Attribute& attribute);

struct AttributeSchema {
  std::string_view name;
  AttributeKind kind = AttributeKind::kInt;
  bool required = false;
  Index since = 1;  // opsets that have it, both included
  Index until = kNewestOpset;
};

inline constexpr std::size_t kUnlimited = SIZE_MAX;

struct OperatorSchema {
  std::string_view domain;  // "" is ai.onnx
  std::string_view op_type;
  Index first_opset = 1;  // versions of the domain that have this form, both included
  Index last_opset = 1;
  std::size_t min_inputs = 1;
  std::size_t max_inputs = 1;
  std::size_t min_outputs = 1;
  std::size_t max_outputs = 1;
  std::span<const AttributeSchema> attributes = {};
  std::uint32_t optional_inputs = 0;  // bit i: input i may be "" although it is below min_inputs
  // Rules beyond counts and attribute types; null: none. Its message need not name the node.
  Status (*check)(const Node& node) = nullptr;
};

// Every row: families in the order of ops/families.h, rows in the order of their file.
std::vector<const OperatorSchema*> operator_schemas();

// The row for an operator at a version of its domain, or null.
const OperatorSchema* find_schema(std::string_view domain, std::string_view op_type, Index opset);
// Whether any version of the domain has the operator.
bool knows_operator(std::string_view domain, std::string_view op_type);
// Newest known version of a domain, 0 for one this build does not know.
Index newest_opset(std::string_view domain);

}  // namespace assay::onnx
