// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

constexpr std::array<AttributeSchema, 2> kClipAttributes = {{
    {.name = "max", .kind = AttributeKind::kFloat},
    {.name = "min", .kind = AttributeKind::kFloat},
}};
constexpr std::array<AttributeSchema, 1> kLeakyReluAttributes = {{
    {.name = "alpha", .kind = AttributeKind::kFloat},
}};
constexpr std::array<AttributeSchema, 1> kSoftmaxAttributes = {{
    {.name = "axis", .kind = AttributeKind::kInt},
}};

constexpr std::array<AttributeSchema, 1> kGeluAttributes = {{
    {.name = "approximate", .kind = AttributeKind::kString},
}};

constexpr std::array<OperatorSchema, 10> kRows = {{
    {.domain = "", .op_type = "Relu", .first_opset = kOldestOpset, .last_opset = kNewestOpset},
    {.domain = "", .op_type = "Clip", .first_opset = kOldestOpset, .last_opset = 10, .attributes = kClipAttributes},
    // input, min?, max?
    {.domain = "", .op_type = "Clip", .first_opset = 11, .last_opset = kNewestOpset, .max_inputs = 3},
    {.domain = "",
     .op_type = "LeakyRelu",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .attributes = kLeakyReluAttributes},
    {.domain = "", .op_type = "Erf", .first_opset = 9, .last_opset = kNewestOpset},
    {.domain = "", .op_type = "Gelu", .first_opset = 20, .last_opset = kNewestOpset, .attributes = kGeluAttributes},
    {.domain = "", .op_type = "Tanh", .first_opset = kOldestOpset, .last_opset = kNewestOpset},
    {.domain = "", .op_type = "HardSwish", .first_opset = 14, .last_opset = kNewestOpset},
    {.domain = "", .op_type = "Sigmoid", .first_opset = kOldestOpset, .last_opset = kNewestOpset},
    // Up to opset 12 over all dimensions from axis on, from 13 on over one.
    {.domain = "",
     .op_type = "Softmax",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .attributes = kSoftmaxAttributes},
}};

}  // namespace

std::span<const OperatorSchema> activation_schemas() { return kRows; }

}  // namespace assay::onnx
