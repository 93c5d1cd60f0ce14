// SPDX-License-Identifier: Apache-2.0
// The quantized operators, one row each. ai.assay's are com.microsoft's and ONNX's with a clamp in the requantization.
#include <array>

#include "engine/runtime/ops/quantized_operators.h"

namespace assay::runtime {
namespace {

constexpr std::array kRows = {
    OperatorRow{"", "QuantizeLinear", prepare_quantize_linear},
    OperatorRow{"", "DequantizeLinear", prepare_dequantize_linear},
    OperatorRow{"", "DynamicQuantizeLinear", prepare_dynamic_quantize_linear},
    OperatorRow{"", "QLinearConv", prepare_qlinear_conv},
    OperatorRow{"", "QLinearMatMul", prepare_qlinear_matmul},
    OperatorRow{"", "ConvInteger", prepare_conv_integer},
    OperatorRow{"", "MatMulInteger", prepare_matmul_integer},
    OperatorRow{kAssayDomain, "QLinearConv", prepare_qlinear_conv},
    OperatorRow{kAssayDomain, "QLinearMatMul", prepare_qlinear_matmul},
    OperatorRow{kAssayDomain, "QGemm", prepare_qgemm},
    OperatorRow{kAssayDomain, "ByteLookup", prepare_byte_lookup},
    OperatorRow{kMicrosoftDomain, "QuantizeLinear", prepare_quantize_linear},
    OperatorRow{kMicrosoftDomain, "DequantizeLinear", prepare_dequantize_linear},
    OperatorRow{kMicrosoftDomain, "QGemm", prepare_qgemm},
    OperatorRow{kMicrosoftDomain, "QLinearAdd", prepare_qlinear_add},
    OperatorRow{kMicrosoftDomain, "QLinearMul", prepare_qlinear_mul},
    OperatorRow{kMicrosoftDomain, "QLinearAveragePool", prepare_qlinear_average_pool},
    OperatorRow{kMicrosoftDomain, "QLinearGlobalAveragePool", prepare_qlinear_global_average_pool},
    OperatorRow{kMicrosoftDomain, "QLinearConcat", prepare_qlinear_concat},
    OperatorRow{kMicrosoftDomain, "QLinearLeakyRelu", prepare_qlinear_leaky_relu},
    OperatorRow{kMicrosoftDomain, "QLinearSigmoid", prepare_qlinear_sigmoid},
    OperatorRow{kMicrosoftDomain, "QLinearSoftmax", prepare_qlinear_softmax},
};

}  // namespace

std::span<const OperatorRow> quantized_operator_rows() { return kRows; }

}  // namespace assay::runtime
