// SPDX-License-Identifier: Apache-2.0
// The factories of the element-wise operators, for their table.
#pragma once

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

OperatorResult prepare_abs(const PrepareContext& context);
OperatorResult prepare_acos(const PrepareContext& context);
OperatorResult prepare_acosh(const PrepareContext& context);
OperatorResult prepare_and(const PrepareContext& context);
OperatorResult prepare_asin(const PrepareContext& context);
OperatorResult prepare_asinh(const PrepareContext& context);
OperatorResult prepare_atan(const PrepareContext& context);
OperatorResult prepare_atanh(const PrepareContext& context);
OperatorResult prepare_bit_shift(const PrepareContext& context);
OperatorResult prepare_bitwise_and(const PrepareContext& context);
OperatorResult prepare_bitwise_not(const PrepareContext& context);
OperatorResult prepare_bitwise_or(const PrepareContext& context);
OperatorResult prepare_bitwise_xor(const PrepareContext& context);
OperatorResult prepare_ceil(const PrepareContext& context);
OperatorResult prepare_celu(const PrepareContext& context);
OperatorResult prepare_cos(const PrepareContext& context);
OperatorResult prepare_cosh(const PrepareContext& context);
OperatorResult prepare_elementwise_chain(const PrepareContext& context);
OperatorResult prepare_elu(const PrepareContext& context);
OperatorResult prepare_equal(const PrepareContext& context);
OperatorResult prepare_exp(const PrepareContext& context);
OperatorResult prepare_floor(const PrepareContext& context);
OperatorResult prepare_greater(const PrepareContext& context);
OperatorResult prepare_greater_or_equal(const PrepareContext& context);
OperatorResult prepare_hard_sigmoid(const PrepareContext& context);
OperatorResult prepare_is_inf(const PrepareContext& context);
OperatorResult prepare_is_nan(const PrepareContext& context);
OperatorResult prepare_less(const PrepareContext& context);
OperatorResult prepare_less_or_equal(const PrepareContext& context);
OperatorResult prepare_log(const PrepareContext& context);
OperatorResult prepare_max(const PrepareContext& context);
OperatorResult prepare_mean(const PrepareContext& context);
OperatorResult prepare_min(const PrepareContext& context);
OperatorResult prepare_mish(const PrepareContext& context);
OperatorResult prepare_mod(const PrepareContext& context);
OperatorResult prepare_neg(const PrepareContext& context);
OperatorResult prepare_not(const PrepareContext& context);
OperatorResult prepare_or(const PrepareContext& context);
OperatorResult prepare_pow(const PrepareContext& context);
OperatorResult prepare_prelu(const PrepareContext& context);
OperatorResult prepare_quick_gelu(const PrepareContext& context);
OperatorResult prepare_reciprocal(const PrepareContext& context);
OperatorResult prepare_round(const PrepareContext& context);
OperatorResult prepare_selu(const PrepareContext& context);
OperatorResult prepare_shrink(const PrepareContext& context);
OperatorResult prepare_sign(const PrepareContext& context);
OperatorResult prepare_sin(const PrepareContext& context);
OperatorResult prepare_sinh(const PrepareContext& context);
OperatorResult prepare_softplus(const PrepareContext& context);
OperatorResult prepare_softsign(const PrepareContext& context);
OperatorResult prepare_sqrt(const PrepareContext& context);
OperatorResult prepare_sum(const PrepareContext& context);
OperatorResult prepare_swish(const PrepareContext& context);
OperatorResult prepare_tan(const PrepareContext& context);
OperatorResult prepare_tanh_gelu(const PrepareContext& context);
OperatorResult prepare_thresholded_relu(const PrepareContext& context);
OperatorResult prepare_where(const PrepareContext& context);
OperatorResult prepare_xor(const PrepareContext& context);

}  // namespace assay::runtime
