// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

constexpr std::array<AttributeSchema, 5> kQuantizeAttributes = {{
    {.name = "axis", .kind = AttributeKind::kInt, .since = 13},
    {.name = "block_size", .kind = AttributeKind::kInt, .since = 21},
    {.name = "output_dtype", .kind = AttributeKind::kInt, .since = 21},
    {.name = "precision", .kind = AttributeKind::kInt, .since = 23},
    {.name = "saturate", .kind = AttributeKind::kInt, .since = 19},
}};
constexpr std::array<AttributeSchema, 3> kDequantizeAttributes = {{
    {.name = "axis", .kind = AttributeKind::kInt, .since = 13},
    {.name = "block_size", .kind = AttributeKind::kInt, .since = 21},
    {.name = "output_dtype", .kind = AttributeKind::kInt, .since = 23},
}};

// TensorProto.DataType values.
constexpr Index kUnspecified = 0;
constexpr Index kFloat = 1;
constexpr Index kUint8 = 2;
constexpr Index kInt8 = 3;

constexpr Index kUint16 = 4;
constexpr Index kInt16 = 5;
constexpr Index kUint4 = 21;
constexpr Index kInt4 = 22;

Status check_common(const Node& node) {
  if (const Index block = node.int_attribute("block_size", 0); block < 0) {
    return invalid_model("block_size is not negative; found " + std::to_string(block));
  }
  return {};
}

bool is_integer_type(Index dtype) {
  return dtype == kUint8 || dtype == kInt8 || dtype == kUint16 || dtype == kInt16 || dtype == kUint4 || dtype == kInt4;
}

Status check_quantize(const Node& node) {
  ASSAY_TRY(check_common(node));
  const Index dtype = node.int_attribute("output_dtype", kUnspecified);
  if (dtype != kUnspecified && !is_integer_type(dtype)) {
    return unsupported("output_dtype " + std::to_string(dtype) +
                       " is not supported; uint8 (2), int8 (3), uint16 (4), int16 (5), uint4 (21) and int4 (22) are");
  }
  const Index precision = node.int_attribute("precision", kUnspecified);
  if (precision != kUnspecified && precision != kFloat) {
    return unsupported("precision " + std::to_string(precision) + " is not supported; float32 (1) is");
  }
  return {};
}

Status check_dequantize(const Node& node) {
  ASSAY_TRY(check_common(node));
  const Index dtype = node.int_attribute("output_dtype", kUnspecified);
  if (dtype != kUnspecified && dtype != kFloat) {
    return unsupported("output_dtype " + std::to_string(dtype) + " is not supported; float32 (1) is");
  }
  return {};
}

// x, scale, zero_point?
constexpr std::array<OperatorSchema, 3> kRows = {{
    {.domain = "",
     .op_type = "QuantizeLinear",
     .first_opset = 10,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 3,
     .attributes = kQuantizeAttributes,
     .check = check_quantize},
    {.domain = "",
     .op_type = "DequantizeLinear",
     .first_opset = 10,
     .last_opset = kNewestOpset,
     .min_inputs = 2,
     .max_inputs = 3,
     .attributes = kDequantizeAttributes,
     .check = check_dequantize},
    // x -> y, y_scale, y_zero_point
    {.domain = "",
     .op_type = "DynamicQuantizeLinear",
     .first_opset = 11,
     .last_opset = kNewestOpset,
     .min_outputs = 3,
     .max_outputs = 3},
}};

}  // namespace

std::span<const OperatorSchema> quantize_schemas() { return kRows; }

}  // namespace assay::onnx
