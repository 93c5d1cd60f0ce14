// SPDX-License-Identifier: Apache-2.0
// The float and data-movement operators, one row each. Several take integer tensors too: each states its types.
#include <array>

#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

constexpr std::array kRows = {
    OperatorRow{"", "Add", prepare_add},
    OperatorRow{"", "AveragePool", prepare_any_average_pool},
    OperatorRow{"", "BatchNormalization", prepare_batch_normalization},
    OperatorRow{"", "Clip", prepare_clip},
    OperatorRow{"", "Concat", prepare_concat, HalfPolicy::kAsIs},
    OperatorRow{"", "Constant", prepare_constant, HalfPolicy::kAsIs},
    OperatorRow{"", "Conv", prepare_any_conv},
    OperatorRow{"", "Div", prepare_div},
    OperatorRow{"", "Erf", prepare_erf},
    OperatorRow{"", "Flatten", prepare_flatten, HalfPolicy::kAsIs},
    OperatorRow{"", "Gelu", prepare_gelu},
    OperatorRow{kMicrosoftDomain, "Gelu", prepare_gelu},
    OperatorRow{"", "Gemm", prepare_gemm},
    OperatorRow{"", "GlobalAveragePool", prepare_global_average_pool},
    OperatorRow{"", "HardSwish", prepare_hard_swish},
    OperatorRow{"", "Identity", prepare_identity, HalfPolicy::kAsIs},
    OperatorRow{"", "LeakyRelu", prepare_leaky_relu},
    OperatorRow{"", "MatMul", prepare_matmul},
    OperatorRow{"", "MaxPool", prepare_any_max_pool},
    OperatorRow{"", "Mul", prepare_mul},
    OperatorRow{"", "Pad", prepare_pad, HalfPolicy::kAsIs},
    OperatorRow{"", "Relu", prepare_relu},
    OperatorRow{"", "Reshape", prepare_reshape, HalfPolicy::kAsIs},
    OperatorRow{"", "Sigmoid", prepare_sigmoid},
    OperatorRow{"", "Softmax", prepare_softmax},
    OperatorRow{"", "Squeeze", prepare_squeeze, HalfPolicy::kAsIs},
    OperatorRow{"", "Sub", prepare_sub},
    OperatorRow{"", "Tanh", prepare_tanh},
    OperatorRow{"", "Transpose", prepare_transpose, HalfPolicy::kAsIs},
    OperatorRow{"", "Unsqueeze", prepare_unsqueeze, HalfPolicy::kAsIs},
};

}  // namespace

std::span<const OperatorRow> float_operator_rows() { return kRows; }

}  // namespace assay::runtime
