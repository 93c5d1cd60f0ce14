// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

constexpr std::array<AttributeSchema, 4> kGemmAttributes = {{
    {.name = "alpha", .kind = AttributeKind::kFloat},
    {.name = "beta", .kind = AttributeKind::kFloat},
    {.name = "transA", .kind = AttributeKind::kInt},
    {.name = "transB", .kind = AttributeKind::kInt},
}};

constexpr std::array<OperatorSchema, 3> kRows = {{
    // A, B, C
    {.domain = "",
     .op_type = "Gemm",
     .first_opset = kOldestOpset,
     .last_opset = 10,
     .min_inputs = 3,
     .max_inputs = 3,
     .attributes = kGemmAttributes},
    // A, B, C?
    {.domain = "",
     .op_type = "Gemm",
     .first_opset = 11,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 3,
     .attributes = kGemmAttributes},
    {.domain = "",
     .op_type = "MatMul",
     .first_opset = kOldestOpset,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 2},
}};

}  // namespace

std::span<const OperatorSchema> matmul_schemas() { return kRows; }

}  // namespace assay::onnx
