// SPDX-License-Identifier: Apache-2.0
// The factories of the normalising, recurrent and other layer operators, for their table.
#pragma once

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

OperatorResult prepare_conv_transpose(const PrepareContext& context);
OperatorResult prepare_einsum(const PrepareContext& context);
OperatorResult prepare_global_lp_pool(const PrepareContext& context);
OperatorResult prepare_global_max_pool(const PrepareContext& context);
OperatorResult prepare_group_normalization(const PrepareContext& context);
OperatorResult prepare_gru(const PrepareContext& context);
OperatorResult prepare_hardmax(const PrepareContext& context);
OperatorResult prepare_instance_normalization(const PrepareContext& context);
OperatorResult prepare_layer_normalization(const PrepareContext& context);
OperatorResult prepare_log_softmax(const PrepareContext& context);
OperatorResult prepare_lp_normalization(const PrepareContext& context);
OperatorResult prepare_lp_pool(const PrepareContext& context);
OperatorResult prepare_lrn(const PrepareContext& context);
OperatorResult prepare_lstm(const PrepareContext& context);
OperatorResult prepare_mean_variance_normalization(const PrepareContext& context);
OperatorResult prepare_rms_normalization(const PrepareContext& context);
OperatorResult prepare_rnn(const PrepareContext& context);

}  // namespace assay::runtime
