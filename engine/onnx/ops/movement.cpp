// SPDX-License-Identifier: Apache-2.0
// Operators that move or rename data without computing.
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

constexpr std::array<AttributeSchema, 1> kFlattenAttributes = {{{.name = "axis", .kind = AttributeKind::kInt}}};
constexpr std::array<AttributeSchema, 1> kReshapeAttributes = {
    {{.name = "allowzero", .kind = AttributeKind::kInt, .since = 14}}};
constexpr std::array<AttributeSchema, 1> kTransposeAttributes = {{{.name = "perm", .kind = AttributeKind::kInts}}};
constexpr std::array<AttributeSchema, 1> kConcatAttributes = {
    {{.name = "axis", .kind = AttributeKind::kInt, .required = true}}};
constexpr std::array<AttributeSchema, 1> kSqueezeAttributes = {{{.name = "axes", .kind = AttributeKind::kInts}}};
constexpr std::array<AttributeSchema, 1> kUnsqueezeAttributes = {
    {{.name = "axes", .kind = AttributeKind::kInts, .required = true}}};
constexpr std::array<AttributeSchema, 3> kOldPadAttributes = {{
    {.name = "mode", .kind = AttributeKind::kString},
    {.name = "pads", .kind = AttributeKind::kInts, .required = true},
    {.name = "value", .kind = AttributeKind::kFloat},
}};
constexpr std::array<AttributeSchema, 1> kPadAttributes = {{{.name = "mode", .kind = AttributeKind::kString}}};
// sparse_value, value_string and value_strings are refused by their types when the file is read.
constexpr std::array<AttributeSchema, 7> kConstantAttributes = {{
    {.name = "value", .kind = AttributeKind::kTensor},
    {.name = "value_float", .kind = AttributeKind::kFloat, .since = 12},
    {.name = "value_floats", .kind = AttributeKind::kFloats, .since = 12},
    {.name = "value_int", .kind = AttributeKind::kInt, .since = 12},
    {.name = "value_ints", .kind = AttributeKind::kInts, .since = 12},
    {.name = "value_string", .kind = AttributeKind::kString, .since = 12},
    {.name = "value_strings", .kind = AttributeKind::kStrings, .since = 12},
}};

constexpr std::array<OperatorSchema, 13> kRows = {{
    {.domain = "",
     .op_type = "Flatten",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .attributes = kFlattenAttributes},
    // data, shape
    {.domain = "",
     .op_type = "Reshape",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 2,
     .attributes = kReshapeAttributes},
    {.domain = "",
     .op_type = "Transpose",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .attributes = kTransposeAttributes},
    {.domain = "",
     .op_type = "Concat",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .max_inputs = kUnlimited,
     .attributes = kConcatAttributes},
    {.domain = "",
     .op_type = "Squeeze",
     .first_opset = kOldestOpset,
     .last_opset = 12,
     .attributes = kSqueezeAttributes},
    // data, axes?
    {.domain = "", .op_type = "Squeeze", .first_opset = 13, .last_opset = kNewestOpset, .max_inputs = 2},
    {.domain = "",
     .op_type = "Unsqueeze",
     .first_opset = kOldestOpset,
     .last_opset = 12,
     .attributes = kUnsqueezeAttributes},
    // data, axes
    {.domain = "",
     .op_type = "Unsqueeze",
     .first_opset = 13,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 2},
    {.domain = "", .op_type = "Pad", .first_opset = kOldestOpset, .last_opset = 10, .attributes = kOldPadAttributes},
    // data, pads, constant_value?
    {.domain = "",
     .op_type = "Pad",
     .first_opset = 11,
     .last_opset = 17,
     .min_inputs = 2,
     .max_inputs = 3,
     .attributes = kPadAttributes},
    // data, pads, constant_value?, axes?
    {.domain = "",
     .op_type = "Pad",
     .first_opset = 18,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 4,
     .attributes = kPadAttributes},
    {.domain = "", .op_type = "Identity", .first_opset = kOldestOpset, .last_opset = kNewestOpset},
    // Becomes an initializer at load.
    {.domain = "",
     .op_type = "Constant",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .min_inputs = 0,
     .max_inputs = 0,
     .attributes = kConstantAttributes},
}};

}  // namespace

std::span<const OperatorSchema> movement_schemas() { return kRows; }

}  // namespace assay::onnx
