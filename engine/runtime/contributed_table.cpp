// SPDX-License-Identifier: Apache-2.0
// The operators of com.microsoft beyond those of quantized_table.cpp, one row each.
#include <array>

#include "engine/runtime/ops/contributed_operators.h"
#include "engine/runtime/ops/elementwise_operators.h"
#include "engine/runtime/ops/quantized_operators.h"

namespace assay::runtime {
namespace {

constexpr std::array kRows = {
    OperatorRow{kMicrosoftDomain, "BiasGelu", prepare_bias_gelu},
    OperatorRow{kMicrosoftDomain, "DequantizeLinear", prepare_dequantize_linear},
    OperatorRow{kMicrosoftDomain, "DynamicQuantizeMatMul", prepare_dynamic_quantize_matmul},
    OperatorRow{kMicrosoftDomain, "FastGelu", prepare_fast_gelu},
    OperatorRow{kMicrosoftDomain, "FusedConv", prepare_fused_conv},
    OperatorRow{kMicrosoftDomain, "FusedGemm", prepare_fused_gemm},
    OperatorRow{kMicrosoftDomain, "FusedMatMul", prepare_fused_matmul},
    OperatorRow{kMicrosoftDomain, "MatMulIntegerToFloat", prepare_matmul_integer_to_float},
    OperatorRow{kMicrosoftDomain, "QLinearWhere", prepare_qlinear_where},
    OperatorRow{kMicrosoftDomain, "QuantizeLinear", prepare_quantize_linear},
    OperatorRow{kMicrosoftDomain, "QuickGelu", prepare_quick_gelu},
    OperatorRow{kMicrosoftDomain, "SkipLayerNormalization", prepare_skip_layer_normalization},
};

}  // namespace

std::span<const OperatorRow> contributed_operator_rows() { return kRows; }

}  // namespace assay::runtime
