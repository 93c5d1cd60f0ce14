// SPDX-License-Identifier: Apache-2.0
// The operator families, each a table in its own file.
#pragma once

#include <span>

#include "engine/onnx/schema.h"

namespace assay::onnx {

std::span<const OperatorSchema> conv_schemas();
std::span<const OperatorSchema> matmul_schemas();
std::span<const OperatorSchema> activation_schemas();
std::span<const OperatorSchema> elementwise_schemas();
std::span<const OperatorSchema> pool_schemas();
std::span<const OperatorSchema> normalization_schemas();
std::span<const OperatorSchema> movement_schemas();
std::span<const OperatorSchema> quantize_schemas();
std::span<const OperatorSchema> integer_schemas();
std::span<const OperatorSchema> microsoft_schemas();
std::span<const OperatorSchema> fused_schemas();
std::span<const OperatorSchema> unary_schemas();
std::span<const OperatorSchema> binary_schemas();
std::span<const OperatorSchema> reduce_schemas();
std::span<const OperatorSchema> indexing_schemas();
std::span<const OperatorSchema> shape_schemas();
std::span<const OperatorSchema> control_schemas();
std::span<const OperatorSchema> layer_schemas();
std::span<const OperatorSchema> contributed_schemas();

// Attributes of every convolution.
std::span<const AttributeSchema> conv_attributes();

}  // namespace assay::onnx
