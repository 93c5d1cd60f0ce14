// SPDX-License-Identifier: Apache-2.0
// Element-wise operators of one operand.
#include <array>

#include "engine/onnx/ops/families.h"
#include "engine/onnx/ops/rows.h"

namespace assay::onnx {
namespace {

constexpr std::array kAlpha = {float_attribute("alpha")};
constexpr std::array kAlphaBeta = {float_attribute("alpha"), float_attribute("beta")};
constexpr std::array kSelu = {float_attribute("alpha"), float_attribute("gamma")};
constexpr std::array kShrink = {float_attribute("bias"), float_attribute("lambd")};
constexpr std::array kIsInf = {int_attribute("detect_negative"), int_attribute("detect_positive")};

constexpr std::array kRows = {
    standard("Abs", kUnary),
    standard("Acos", kUnary),
    standard("Acosh", kUnary, {}, {.first = 9}),
    standard("Asin", kUnary),
    standard("Asinh", kUnary, {}, {.first = 9}),
    standard("Atan", kUnary),
    standard("Atanh", kUnary, {}, {.first = 9}),
    standard("BitwiseNot", kUnary, {}, {.first = 18}),
    standard("Ceil", kUnary),
    standard("Celu", kUnary, kAlpha, {.first = 12}),
    standard("Cos", kUnary),
    standard("Cosh", kUnary, {}, {.first = 9}),
    standard("Elu", kUnary, kAlpha),
    standard("Exp", kUnary),
    standard("Floor", kUnary),
    standard("HardSigmoid", kUnary, kAlphaBeta),
    standard("IsInf", kUnary, kIsInf, {.first = 10}),
    standard("IsNaN", kUnary, {}, {.first = 9}),
    standard("Log", kUnary),
    standard("Mish", kUnary, {}, {.first = 18}),
    standard("Neg", kUnary),
    standard("Not", kUnary),
    standard("Reciprocal", kUnary),
    standard("Round", kUnary, {}, {.first = 11}),
    standard("Selu", kUnary, kSelu),
    standard("Shrink", kUnary, kShrink, {.first = 9}),
    standard("Sign", kUnary, {}, {.first = 9}),
    standard("Sin", kUnary),
    standard("Sinh", kUnary, {}, {.first = 9}),
    standard("Softplus", kUnary),
    standard("Softsign", kUnary),
    standard("Sqrt", kUnary),
    standard("Swish", kUnary, kAlpha, {.first = 24}),
    standard("Tan", kUnary),
    standard("ThresholdedRelu", kUnary, kAlpha, {.first = 10}),
};

}  // namespace

std::span<const OperatorSchema> unary_schemas() { return kRows; }

}  // namespace assay::onnx
