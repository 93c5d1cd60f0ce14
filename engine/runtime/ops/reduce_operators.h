// SPDX-License-Identifier: Apache-2.0
// The factories of the reducing operators, for their table.
#pragma once

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

OperatorResult prepare_arg_max(const PrepareContext& context);
OperatorResult prepare_arg_min(const PrepareContext& context);
OperatorResult prepare_cum_prod(const PrepareContext& context);
OperatorResult prepare_cum_sum(const PrepareContext& context);
OperatorResult prepare_reduce_l1(const PrepareContext& context);
OperatorResult prepare_reduce_l2(const PrepareContext& context);
OperatorResult prepare_reduce_log_sum(const PrepareContext& context);
OperatorResult prepare_reduce_log_sum_exp(const PrepareContext& context);
OperatorResult prepare_reduce_max(const PrepareContext& context);
OperatorResult prepare_reduce_mean(const PrepareContext& context);
OperatorResult prepare_reduce_min(const PrepareContext& context);
OperatorResult prepare_reduce_prod(const PrepareContext& context);
OperatorResult prepare_reduce_sum(const PrepareContext& context);
OperatorResult prepare_reduce_sum_square(const PrepareContext& context);
OperatorResult prepare_top_k(const PrepareContext& context);

}  // namespace assay::runtime
