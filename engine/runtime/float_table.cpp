// SPDX-License-Identifier: Apache-2.0
// The float and data-movement operators, one row each. Several take integer tensors too: each states its types.
#include <array>

#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

constexpr std::array kRows = {
    OperatorRow{"", "Add", prepare_add},
    OperatorRow{"", "AveragePool", prepare_average_pool},
    OperatorRow{"", "BatchNormalization", prepare_batch_normalization},
    OperatorRow{"", "Clip", prepare_clip},
    OperatorRow{"", "Concat", prepare_concat},
    OperatorRow{"", "Constant", prepare_constant},
    OperatorRow{"", "Conv", prepare_conv},
    OperatorRow{"", "Div", prepare_div},
    OperatorRow{"", "Erf", prepare_erf},
    OperatorRow{"", "Flatten", prepare_flatten},
    OperatorRow{"", "Gelu", prepare_gelu},
    OperatorRow{kMicrosoftDomain, "Gelu", prepare_gelu},
    OperatorRow{"", "Gemm", prepare_gemm},
    OperatorRow{"", "GlobalAveragePool", prepare_global_average_pool},
    OperatorRow{"", "HardSwish", prepare_hard_swish},
    OperatorRow{"", "Identity", prepare_identity},
    OperatorRow{"", "LeakyRelu", prepare_leaky_relu},
    OperatorRow{"", "MatMul", prepare_matmul},
    OperatorRow{"", "MaxPool", prepare_max_pool},
    OperatorRow{"", "Mul", prepare_mul},
    OperatorRow{"", "Pad", prepare_pad},
    OperatorRow{"", "Relu", prepare_relu},
    OperatorRow{"", "Reshape", prepare_reshape},
    OperatorRow{"", "Sigmoid", prepare_sigmoid},
    OperatorRow{"", "Softmax", prepare_softmax},
    OperatorRow{"", "Squeeze", prepare_squeeze},
    OperatorRow{"", "Sub", prepare_sub},
    OperatorRow{"", "Tanh", prepare_tanh},
    OperatorRow{"", "Transpose", prepare_transpose},
    OperatorRow{"", "Unsqueeze", prepare_unsqueeze},
};

}  // namespace

std::span<const OperatorRow> float_operator_rows() { return kRows; }

}  // namespace assay::runtime
