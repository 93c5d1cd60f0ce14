// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft that ONNX Runtime's optimiser and quantizer leave in saved models, beyond the quantized
// ones in microsoft.cpp.
#include <array>

#include "engine/onnx/ops/families.h"
#include "engine/onnx/ops/rows.h"

namespace assay::onnx {
namespace {

constexpr Arity kOptionalSecond = {.min_inputs = 1, .max_inputs = 2};

constexpr std::array kAlpha = {float_attribute("alpha")};
constexpr std::array kSkip = {float_attribute("epsilon")};
constexpr std::array kFusedConv = {string_attribute("activation"), floats_attribute("activation_params"),
                                   string_attribute("auto_pad"),   ints_attribute("dilations"),
                                   int_attribute("group"),         ints_attribute("kernel_shape"),
                                   ints_attribute("pads"),         ints_attribute("strides")};
constexpr std::array kFusedGemm = {string_attribute("activation"),
                                   float_attribute("activation_alpha"),
                                   float_attribute("activation_beta"),
                                   float_attribute("activation_gamma"),
                                   float_attribute("alpha"),
                                   float_attribute("beta"),
                                   int_attribute("transA"),
                                   int_attribute("transB")};
constexpr std::array kFusedMatMul = {float_attribute("alpha"), int_attribute("transA"), int_attribute("transB"),
                                     int_attribute("transBatchA"), int_attribute("transBatchB")};

constexpr std::array kRows = {
    // A, B
    microsoft("BiasGelu", kBinary),
    // A, B, b_scale, b_zero_point?, bias?
    microsoft("DynamicQuantizeMatMul", {.min_inputs = 3, .max_inputs = 5}),
    // X, bias?
    microsoft("FastGelu", kOptionalSecond),
    // X, W, B?, Z?
    microsoft("FusedConv", {.min_inputs = 2, .max_inputs = 4}, kFusedConv),
    // A, B, C?
    microsoft("FusedGemm", {.min_inputs = 2, .max_inputs = 3}, kFusedGemm),
    microsoft("FusedMatMul", kBinary, kFusedMatMul),
    // A, B, a_scale, b_scale, a_zero_point?, b_zero_point?, bias?
    microsoft("MatMulIntegerToFloat", {.min_inputs = 4, .max_inputs = 7}),
    // condition, X, x_scale, x_zero_point, Y, y_scale, y_zero_point, z_scale, z_zero_point
    microsoft("QLinearWhere", {.min_inputs = 9, .max_inputs = 9}),
    microsoft("QuickGelu", kUnary, kAlpha),
    // input, skip, gamma, beta?, bias? -> output, mean?, inv_std_var?, input_skip_bias_sum?
    microsoft("SkipLayerNormalization", {.min_inputs = 3, .max_inputs = 5, .max_outputs = 4}, kSkip),
};

}  // namespace

std::span<const OperatorSchema> contributed_schemas() { return kRows; }

}  // namespace assay::onnx
