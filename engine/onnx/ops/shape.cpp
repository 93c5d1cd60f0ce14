// SPDX-License-Identifier: Apache-2.0
// Shapes as data, generated tensors, and type conversion.
#include <array>

#include "engine/onnx/ops/families.h"
#include "engine/onnx/ops/rows.h"

namespace assay::onnx {
namespace {

constexpr std::array kShape = {int_attribute("end", {.first = 15}), int_attribute("start", {.first = 15})};
constexpr std::array kConstantOfShape = {AttributeSchema{.name = "value", .kind = AttributeKind::kTensor}};
constexpr std::array kCast = {string_attribute("round_mode", {.first = 24}), int_attribute("saturate", {.first = 19}),
                              required(int_attribute("to"))};
constexpr std::array kCastLike = {string_attribute("round_mode", {.first = 24}),
                                  int_attribute("saturate", {.first = 19})};
constexpr std::array kEyeLike = {int_attribute("dtype"), int_attribute("k")};
constexpr std::array kOneHot = {int_attribute("axis")};
constexpr std::array kOldDropout = {float_attribute("ratio")};
constexpr std::array kDropout = {int_attribute("seed")};
constexpr std::array kNonMaxSuppression = {int_attribute("center_point_box")};

// boxes, scores, max_output_boxes_per_class?, iou_threshold?, score_threshold?
constexpr Arity kNonMaxSuppressionArity = {.min_inputs = 2, .max_inputs = 5};

constexpr std::array kRows = {
    standard("Cast", kUnary, kCast),
    standard("CastLike", kBinary, kCastLike, {.first = 15}),
    standard("ConstantOfShape", kUnary, kConstantOfShape, {.first = 9}),
    standard("Dropout", {.max_outputs = 2}, kOldDropout, {.last = 11}),
    // data, ratio?, training_mode? -> output, mask?
    standard("Dropout", {.max_inputs = 3, .max_outputs = 2}, kDropout, {.first = 12}),
    standard("EyeLike", kUnary, kEyeLike, {.first = 9}),
    standard("NonMaxSuppression", kNonMaxSuppressionArity, kNonMaxSuppression, {.first = 10}),
    standard("NonZero", kUnary, {}, {.first = 9}),
    // indices, depth, values
    standard("OneHot", {.min_inputs = 3, .max_inputs = 3}, kOneHot, {.first = 9}),
    // start, limit, delta
    standard("Range", {.min_inputs = 3, .max_inputs = 3}, {}, {.first = 11}),
    standard("Shape", kUnary, kShape),
    standard("Size", kUnary),
};

}  // namespace

std::span<const OperatorSchema> shape_schemas() { return kRows; }

}  // namespace assay::onnx
