// SPDX-License-Identifier: Apache-2.0
// Element-wise operators of two or more operands, with numpy's broadcasting.
#include <array>

#include "engine/onnx/ops/families.h"
#include "engine/onnx/ops/rows.h"

namespace assay::onnx {
namespace {

constexpr std::array kShift = {required(string_attribute("direction"))};
constexpr std::array kMod = {int_attribute("fmod")};

constexpr std::array kRows = {
    standard("And", kBinary),
    standard("BitShift", kBinary, kShift, {.first = 11}),
    standard("BitwiseAnd", kBinary, {}, {.first = 18}),
    standard("BitwiseOr", kBinary, {}, {.first = 18}),
    standard("BitwiseXor", kBinary, {}, {.first = 18}),
    standard("Equal", kBinary),
    standard("Greater", kBinary),
    standard("GreaterOrEqual", kBinary, {}, {.first = 12}),
    standard("Less", kBinary),
    standard("LessOrEqual", kBinary, {}, {.first = 12}),
    standard("Max", kVariadic),
    standard("Mean", kVariadic),
    standard("Min", kVariadic),
    standard("Mod", kBinary, kMod, {.first = 10}),
    standard("Or", kBinary),
    standard("PRelu", kBinary),
    standard("Pow", kBinary),
    standard("Sum", kVariadic),
    // condition, X, Y
    standard("Where", {.min_inputs = 3, .max_inputs = 3}, {}, {.first = 9}),
    standard("Xor", kBinary),
};

}  // namespace

std::span<const OperatorSchema> binary_schemas() { return kRows; }

}  // namespace assay::onnx
