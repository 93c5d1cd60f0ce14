// SPDX-License-Identifier: Apache-2.0
// assay's own operators, which only the optimiser makes: an integer product with a clamp in its requantization, whose
// inputs and other attributes are those of the plain operator, a function of bytes as a table, and a chain of
// element-wise operators.
#include <algorithm>
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

constexpr std::array<AttributeSchema, 2> kClampAttributes = {{
    {.name = "clamp_max", .kind = AttributeKind::kInt, .required = true},
    {.name = "clamp_min", .kind = AttributeKind::kInt, .required = true},
}};

constexpr std::array<AttributeSchema, 5> kQGemmAttributes = {{
    {.name = "alpha", .kind = AttributeKind::kFloat},
    {.name = "clamp_max", .kind = AttributeKind::kInt, .required = true},
    {.name = "clamp_min", .kind = AttributeKind::kInt, .required = true},
    {.name = "transA", .kind = AttributeKind::kInt},
    {.name = "transB", .kind = AttributeKind::kInt},
}};

constexpr std::array<AttributeSchema, 3> kChainAttributes = {{
    {.name = "constants", .kind = AttributeKind::kFloats},
    {.name = "operands", .kind = AttributeKind::kInts, .required = true},
    {.name = "operators", .kind = AttributeKind::kStrings, .required = true},
}};

std::vector<AttributeSchema> make_conv_attributes() {
  std::vector<AttributeSchema> attributes(conv_attributes().begin(), conv_attributes().end());
  attributes.insert(attributes.end(), kClampAttributes.begin(), kClampAttributes.end());
  return attributes;
}

Status check_clamp(const Node& node) {
  const Index low = node.int_attribute("clamp_min", 0);
  const Index high = node.int_attribute("clamp_max", 0);
  if (low > high) {
    return invalid_model("clamp_min " + std::to_string(low) + " is above clamp_max " + std::to_string(high));
  }
  return {};
}

std::array<OperatorSchema, 5> make_rows() {
  static const std::vector<AttributeSchema> kConvAttributes = make_conv_attributes();
  return {{
      {.domain = kAssayDomain,
       .op_type = "QLinearConv",
       .min_inputs = 8,
       .max_inputs = 9,
       .attributes = kConvAttributes,
       .check = check_clamp},
      {.domain = kAssayDomain,
       .op_type = "QLinearMatMul",
       .min_inputs = 8,
       .max_inputs = 8,
       .attributes = kClampAttributes,
       .check = check_clamp},
      // y_scale and y_zero_point are needed: a float output has no clamp
      {.domain = kAssayDomain,
       .op_type = "QGemm",
       .min_inputs = 9,
       .max_inputs = 9,
       .attributes = kQGemmAttributes,
       .optional_inputs = 1U << 6U,
       .check = check_clamp},
      // x of 8 bits, y[byte of x] of 8 bits: 256 values
      {.domain = kAssayDomain, .op_type = "ByteLookup", .min_inputs = 2, .max_inputs = 2},
      // engine/runtime/ops/elementwise_chain.cpp says what the attributes mean
      {.domain = kAssayDomain,
       .op_type = "ElementwiseChain",
       .min_inputs = 1,
       .max_inputs = 1,
       .attributes = kChainAttributes},
  }};
}

}  // namespace

std::span<const OperatorSchema> fused_schemas() {
  static const std::array<OperatorSchema, 5> kRows = make_rows();
  return kRows;
}

}  // namespace assay::onnx
