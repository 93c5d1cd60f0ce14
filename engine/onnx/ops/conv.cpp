// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

constexpr std::array<AttributeSchema, 6> kConvAttributes = {{
    {.name = "auto_pad", .kind = AttributeKind::kString},
    {.name = "dilations", .kind = AttributeKind::kInts},
    {.name = "group", .kind = AttributeKind::kInt},
    {.name = "kernel_shape", .kind = AttributeKind::kInts},
    {.name = "pads", .kind = AttributeKind::kInts},
    {.name = "strides", .kind = AttributeKind::kInts},
}};

// X, W, B?
constexpr std::array<OperatorSchema, 1> kRows = {{
    {.domain = "",
     .op_type = "Conv",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 3,
     .attributes = kConvAttributes},
}};

}  // namespace

std::span<const AttributeSchema> conv_attributes() { return kConvAttributes; }
std::span<const OperatorSchema> conv_schemas() { return kRows; }

}  // namespace assay::onnx
