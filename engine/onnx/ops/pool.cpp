// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

constexpr std::array<AttributeSchema, 7> kMaxPoolAttributes = {{
    {.name = "auto_pad", .kind = AttributeKind::kString},
    {.name = "ceil_mode", .kind = AttributeKind::kInt, .since = 10},
    {.name = "dilations", .kind = AttributeKind::kInts, .since = 10},
    {.name = "kernel_shape", .kind = AttributeKind::kInts, .required = true},
    {.name = "pads", .kind = AttributeKind::kInts},
    {.name = "storage_order", .kind = AttributeKind::kInt, .since = 8},
    {.name = "strides", .kind = AttributeKind::kInts},
}};
constexpr std::array<AttributeSchema, 7> kAveragePoolAttributes = {{
    {.name = "auto_pad", .kind = AttributeKind::kString},
    {.name = "ceil_mode", .kind = AttributeKind::kInt, .since = 10},
    {.name = "count_include_pad", .kind = AttributeKind::kInt},
    {.name = "dilations", .kind = AttributeKind::kInts, .since = 19},
    {.name = "kernel_shape", .kind = AttributeKind::kInts, .required = true},
    {.name = "pads", .kind = AttributeKind::kInts},
    {.name = "strides", .kind = AttributeKind::kInts},
}};

constexpr std::array<OperatorSchema, 4> kRows = {{
    {.domain = "",
     .op_type = "MaxPool",
     .first_opset = kOldestOpset,
     .last_opset = 7,
     .attributes = kMaxPoolAttributes},
    // X -> Y, Indices?
    {.domain = "",
     .op_type = "MaxPool",
     .first_opset = 8,
     .last_opset = kNewestOpset,
     .max_outputs = 2,
     .attributes = kMaxPoolAttributes},
    {.domain = "",
     .op_type = "AveragePool",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .attributes = kAveragePoolAttributes},
    {.domain = "", .op_type = "GlobalAveragePool", .first_opset = kOldestOpset, .last_opset = kNewestOpset},
}};

}  // namespace

std::span<const OperatorSchema> pool_schemas() { return kRows; }

}  // namespace assay::onnx
