// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

constexpr std::array<AttributeSchema, 4> kBatchNormalizationAttributes = {{
    {.name = "epsilon", .kind = AttributeKind::kFloat},
    {.name = "momentum", .kind = AttributeKind::kFloat},
    {.name = "spatial", .kind = AttributeKind::kInt, .until = 8},
    {.name = "training_mode", .kind = AttributeKind::kInt, .since = 14},
}};

// Inference only: y = (x - mean) / sqrt(variance + epsilon) * scale + bias, per channel.
Status check_batch_normalization(const Node& node) {
  if (node.int_attribute("training_mode", 0) != 0) {
    return unsupported("training_mode must be 0, not " + std::to_string(node.int_attribute("training_mode", 0)));
  }
  if (node.int_attribute("spatial", 1) != 1) {
    return unsupported("spatial must be 1, not " + std::to_string(node.int_attribute("spatial", 1)));
  }
  if (std::any_of(node.outputs.begin() + 1, node.outputs.end(),
                  [](const std::string& name) { return !name.empty(); })) {
    return unsupported("the outputs of training are not supported");
  }
  return {};
}

// X, scale, B, mean, var -> Y, and up to opset 13 four, then two outputs of training.
constexpr std::array<OperatorSchema, 2> kRows = {{
    {.domain = "",
     .op_type = "BatchNormalization",
     .first_opset = kOldestOpset,
     .last_opset = 13,
     .min_inputs = 5,
     .max_inputs = 5,
     .max_outputs = 5,
     .attributes = kBatchNormalizationAttributes,
     .check = check_batch_normalization},
    {.domain = "",
     .op_type = "BatchNormalization",
     .first_opset = 14,
     .last_opset = kNewestOpset,
     .min_inputs = 5,
     .max_inputs = 5,
     .max_outputs = 3,
     .attributes = kBatchNormalizationAttributes,
     .check = check_batch_normalization},
}};

}  // namespace

std::span<const OperatorSchema> normalization_schemas() { return kRows; }

}  // namespace assay::onnx
