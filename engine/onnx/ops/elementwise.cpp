// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

constexpr std::array<OperatorSchema, 4> kRows = {{
    {.domain = "",
     .op_type = "Add",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 2},
    {.domain = "",
     .op_type = "Sub",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 2},
    {.domain = "",
     .op_type = "Div",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 2},
    {.domain = "",
     .op_type = "Mul",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 2},
}};

}  // namespace

std::span<const OperatorSchema> elementwise_schemas() { return kRows; }

}  // namespace assay::onnx
