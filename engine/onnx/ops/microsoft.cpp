// SPDX-License-Identifier: Apache-2.0
// Quantized operators of com.microsoft, version 1, as ONNX Runtime defines them.
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

constexpr std::array<AttributeSchema, 2> kLinearAttributes = {{
    {.name = "axis", .kind = AttributeKind::kInt},
    {.name = "block_size", .kind = AttributeKind::kInt},
}};
constexpr std::array<AttributeSchema, 3> kQGemmAttributes = {{
    {.name = "alpha", .kind = AttributeKind::kFloat},
    {.name = "transA", .kind = AttributeKind::kInt},
    {.name = "transB", .kind = AttributeKind::kInt},
}};
constexpr std::array<AttributeSchema, 7> kAveragePoolAttributes = {{
    {.name = "auto_pad", .kind = AttributeKind::kString},
    {.name = "ceil_mode", .kind = AttributeKind::kInt},
    {.name = "channels_last", .kind = AttributeKind::kInt},
    {.name = "count_include_pad", .kind = AttributeKind::kInt},
    {.name = "kernel_shape", .kind = AttributeKind::kInts, .required = true},
    {.name = "pads", .kind = AttributeKind::kInts},
    {.name = "strides", .kind = AttributeKind::kInts},
}};
constexpr std::array<AttributeSchema, 1> kGlobalAveragePoolAttributes = {
    {{.name = "channels_last", .kind = AttributeKind::kInt}}};
constexpr std::array<AttributeSchema, 1> kLeakyReluAttributes = {{{.name = "alpha", .kind = AttributeKind::kFloat}}};
constexpr std::array<AttributeSchema, 1> kConcatAttributes = {
    {{.name = "axis", .kind = AttributeKind::kInt, .required = true}}};
// opset: which ai.onnx Softmax this is (below 13: over all dimensions from axis on).
constexpr std::array<AttributeSchema, 2> kSoftmaxAttributes = {{
    {.name = "axis", .kind = AttributeKind::kInt},
    {.name = "opset", .kind = AttributeKind::kInt, .required = true},
}};

constexpr std::uint32_t bit(unsigned i) { return 1U << i; }

Status check_concat(const Node& node) {
  if (node.inputs.size() % 3 != 2) {
    return invalid_model(
        "inputs are y_scale, y_zero_point and then three per operand, so their number must be 2 + 3n, "
        "not " +
        std::to_string(node.inputs.size()));
  }
  return {};
}

constexpr std::array<OperatorSchema, 12> kRows = {{
    // x, scale, zero_point?: as ai.onnx's, with 4- and 16-bit types at every opset
    {.domain = kMicrosoftDomain,
     .op_type = "QuantizeLinear",
     .min_inputs = 2,
     .max_inputs = 3,
     .attributes = kLinearAttributes},
    {.domain = kMicrosoftDomain,
     .op_type = "DequantizeLinear",
     .min_inputs = 2,
     .max_inputs = 3,
     .attributes = kLinearAttributes},
    {.domain = kMicrosoftDomain, .op_type = "Gelu"},
    // A, a_scale, a_zero_point, B, b_scale, b_zero_point, C?, y_scale?, y_zero_point?; float output without y_scale
    {.domain = kMicrosoftDomain, .op_type = "QGemm", .min_inputs = 6, .max_inputs = 9, .attributes = kQGemmAttributes},
    // A, A_scale, A_zero_point?, B, B_scale, B_zero_point?, C_scale, C_zero_point?
    {.domain = kMicrosoftDomain,
     .op_type = "QLinearAdd",
     .min_inputs = 7,
     .max_inputs = 8,
     .optional_inputs = bit(2) | bit(5)},
    {.domain = kMicrosoftDomain,
     .op_type = "QLinearMul",
     .min_inputs = 7,
     .max_inputs = 8,
     .optional_inputs = bit(2) | bit(5)},
    // X, x_scale, x_zero_point?, y_scale, y_zero_point?; so the next four
    {.domain = kMicrosoftDomain,
     .op_type = "QLinearAveragePool",
     .min_inputs = 4,
     .max_inputs = 5,
     .attributes = kAveragePoolAttributes,
     .optional_inputs = bit(2)},
    {.domain = kMicrosoftDomain,
     .op_type = "QLinearGlobalAveragePool",
     .min_inputs = 5,
     .max_inputs = 5,
     .attributes = kGlobalAveragePoolAttributes},
    {.domain = kMicrosoftDomain,
     .op_type = "QLinearSigmoid",
     .min_inputs = 4,
     .max_inputs = 5,
     .optional_inputs = bit(2)},
    {.domain = kMicrosoftDomain,
     .op_type = "QLinearLeakyRelu",
     .min_inputs = 4,
     .max_inputs = 5,
     .attributes = kLeakyReluAttributes,
     .optional_inputs = bit(2)},
    {.domain = kMicrosoftDomain,
     .op_type = "QLinearSoftmax",
     .min_inputs = 4,
     .max_inputs = 5,
     .attributes = kSoftmaxAttributes,
     .optional_inputs = bit(2)},
    // y_scale, y_zero_point, then x, x_scale, x_zero_point of each operand
    {.domain = kMicrosoftDomain,
     .op_type = "QLinearConcat",
     .min_inputs = 5,
     .max_inputs = kUnlimited,
     .attributes = kConcatAttributes,
     .check = check_concat},
}};

}  // namespace

std::span<const OperatorSchema> microsoft_schemas() { return kRows; }

}  // namespace assay::onnx
