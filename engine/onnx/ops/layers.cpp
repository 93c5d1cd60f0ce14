// SPDX-License-Identifier: Apache-2.0
// Normalisations other than BatchNormalization, rarer poolings, transposed convolution and Einsum.
#include <array>

#include "engine/onnx/ops/families.h"
#include "engine/onnx/ops/rows.h"

namespace assay::onnx {
namespace {

constexpr Arity kTernary = {.min_inputs = 3, .max_inputs = 3};

constexpr std::array kAxis = {int_attribute("axis")};
constexpr std::array kEinsum = {required(string_attribute("equation"))};
constexpr std::array kEpsilon = {float_attribute("epsilon")};
constexpr std::array kGroupNormalization = {float_attribute("epsilon"), required(int_attribute("num_groups")),
                                            int_attribute("stash_type", {.first = 21})};
constexpr std::array kLayerNormalization = {int_attribute("axis"), float_attribute("epsilon"),
                                            int_attribute("stash_type")};
constexpr std::array kLrn = {float_attribute("alpha"), float_attribute("beta"), float_attribute("bias"),
                             required(int_attribute("size"))};
constexpr std::array kLp = {int_attribute("axis"), int_attribute("p")};
constexpr std::array kGlobalLpPool = {int_attribute("p")};
constexpr std::array kLpPool = {string_attribute("auto_pad"),
                                int_attribute("ceil_mode", {.first = 18}),
                                ints_attribute("dilations", {.first = 18}),
                                required(ints_attribute("kernel_shape")),
                                int_attribute("p"),
                                ints_attribute("pads"),
                                ints_attribute("strides")};
constexpr std::array kMeanVariance = {ints_attribute("axes")};
constexpr std::array kConvTranspose = {string_attribute("auto_pad"),     ints_attribute("dilations"),
                                       int_attribute("group"),           ints_attribute("kernel_shape"),
                                       ints_attribute("output_padding"), ints_attribute("output_shape"),
                                       ints_attribute("pads"),           ints_attribute("strides")};

constexpr std::array kRows = {
    // X, W, B?
    standard("ConvTranspose", {.min_inputs = 2, .max_inputs = 3}, kConvTranspose),
    standard("Einsum", kVariadic, kEinsum, {.first = 12}),
    standard("GlobalLpPool", kUnary, kGlobalLpPool),
    standard("GlobalMaxPool", kUnary),
    // X, scale, bias
    standard("GroupNormalization", kTernary, kGroupNormalization, {.first = 18}),
    standard("Hardmax", kUnary, kAxis),
    standard("InstanceNormalization", kTernary, kEpsilon),
    // X, Scale, B? -> Y, Mean?, InvStdDev?
    standard("LayerNormalization", {.min_inputs = 2, .max_inputs = 3, .max_outputs = 3}, kLayerNormalization,
             {.first = 17}),
    standard("LogSoftmax", kUnary, kAxis),
    standard("LpNormalization", kUnary, kLp),
    standard("LpPool", kUnary, kLpPool),
    standard("LRN", kUnary, kLrn),
    standard("MeanVarianceNormalization", kUnary, kMeanVariance, {.first = 9}),
    standard("RMSNormalization", kBinary, kLayerNormalization, {.first = 23}),
};

}  // namespace

std::span<const OperatorSchema> layer_schemas() { return kRows; }

}  // namespace assay::onnx
