// SPDX-License-Identifier: Apache-2.0
// The element-wise operators beyond Add, Mul and the activations of float_table.cpp, one row each.
#include <array>

#include "engine/runtime/ops/elementwise_operators.h"

namespace assay::runtime {
namespace {

constexpr std::array kRows = {
    OperatorRow{kAssayDomain, "ElementwiseChain", prepare_elementwise_chain},
    OperatorRow{"", "Abs", prepare_abs},
    OperatorRow{"", "Acos", prepare_acos},
    OperatorRow{"", "Acosh", prepare_acosh},
    OperatorRow{"", "And", prepare_and},
    OperatorRow{"", "Asin", prepare_asin},
    OperatorRow{"", "Asinh", prepare_asinh},
    OperatorRow{"", "Atan", prepare_atan},
    OperatorRow{"", "Atanh", prepare_atanh},
    OperatorRow{"", "BitShift", prepare_bit_shift},
    OperatorRow{"", "BitwiseAnd", prepare_bitwise_and},
    OperatorRow{"", "BitwiseNot", prepare_bitwise_not},
    OperatorRow{"", "BitwiseOr", prepare_bitwise_or},
    OperatorRow{"", "BitwiseXor", prepare_bitwise_xor},
    OperatorRow{"", "Ceil", prepare_ceil},
    OperatorRow{"", "Celu", prepare_celu},
    OperatorRow{"", "Cos", prepare_cos},
    OperatorRow{"", "Cosh", prepare_cosh},
    OperatorRow{"", "Elu", prepare_elu},
    OperatorRow{"", "Equal", prepare_equal},
    OperatorRow{"", "Exp", prepare_exp},
    OperatorRow{"", "Floor", prepare_floor},
    OperatorRow{"", "Greater", prepare_greater},
    OperatorRow{"", "GreaterOrEqual", prepare_greater_or_equal},
    OperatorRow{"", "HardSigmoid", prepare_hard_sigmoid},
    OperatorRow{"", "IsInf", prepare_is_inf},
    OperatorRow{"", "IsNaN", prepare_is_nan},
    OperatorRow{"", "Less", prepare_less},
    OperatorRow{"", "LessOrEqual", prepare_less_or_equal},
    OperatorRow{"", "Log", prepare_log},
    OperatorRow{"", "Max", prepare_max},
    OperatorRow{"", "Mean", prepare_mean},
    OperatorRow{"", "Min", prepare_min},
    OperatorRow{"", "Mish", prepare_mish},
    OperatorRow{"", "Mod", prepare_mod},
    OperatorRow{"", "Neg", prepare_neg},
    OperatorRow{"", "Not", prepare_not},
    OperatorRow{"", "Or", prepare_or},
    OperatorRow{"", "PRelu", prepare_prelu},
    OperatorRow{"", "Pow", prepare_pow},
    OperatorRow{"", "Reciprocal", prepare_reciprocal},
    OperatorRow{"", "Round", prepare_round},
    OperatorRow{"", "Selu", prepare_selu},
    OperatorRow{"", "Shrink", prepare_shrink},
    OperatorRow{"", "Sign", prepare_sign},
    OperatorRow{"", "Sin", prepare_sin},
    OperatorRow{"", "Sinh", prepare_sinh},
    OperatorRow{"", "Softplus", prepare_softplus},
    OperatorRow{"", "Softsign", prepare_softsign},
    OperatorRow{"", "Sqrt", prepare_sqrt},
    OperatorRow{"", "Sum", prepare_sum},
    OperatorRow{"", "Swish", prepare_swish},
    OperatorRow{"", "Tan", prepare_tan},
    OperatorRow{"", "ThresholdedRelu", prepare_thresholded_relu},
    OperatorRow{"", "Where", prepare_where, HalfPolicy::kAsIs},
    OperatorRow{"", "Xor", prepare_xor},
};

}  // namespace

std::span<const OperatorRow> elementwise_operator_rows() { return kRows; }

}  // namespace assay::runtime
