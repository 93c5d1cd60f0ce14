// SPDX-License-Identifier: Apache-2.0
// The factories of the float and data-movement operators, for their table.
#pragma once

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

OperatorResult prepare_add(const PrepareContext& context);
OperatorResult prepare_any_average_pool(const PrepareContext& context);
OperatorResult prepare_any_conv(const PrepareContext& context);
OperatorResult prepare_any_max_pool(const PrepareContext& context);
OperatorResult prepare_average_pool(const PrepareContext& context);
OperatorResult prepare_batch_normalization(const PrepareContext& context);
OperatorResult prepare_clip(const PrepareContext& context);
OperatorResult prepare_clip_by_attributes(const PrepareContext& context);
OperatorResult prepare_concat(const PrepareContext& context);
OperatorResult prepare_constant(const PrepareContext& context);
OperatorResult prepare_conv(const PrepareContext& context);
OperatorResult prepare_div(const PrepareContext& context);
OperatorResult prepare_erf(const PrepareContext& context);
OperatorResult prepare_flatten(const PrepareContext& context);
OperatorResult prepare_gelu(const PrepareContext& context);
OperatorResult prepare_gemm(const PrepareContext& context);
OperatorResult prepare_global_average_pool(const PrepareContext& context);
OperatorResult prepare_hard_swish(const PrepareContext& context);
OperatorResult prepare_identity(const PrepareContext& context);
OperatorResult prepare_leaky_relu(const PrepareContext& context);
OperatorResult prepare_matmul(const PrepareContext& context);
OperatorResult prepare_max_pool(const PrepareContext& context);
OperatorResult prepare_mul(const PrepareContext& context);
OperatorResult prepare_pad(const PrepareContext& context);
OperatorResult prepare_relu(const PrepareContext& context);
OperatorResult prepare_reshape(const PrepareContext& context);
OperatorResult prepare_sigmoid(const PrepareContext& context);
OperatorResult prepare_softmax(const PrepareContext& context);
OperatorResult prepare_squeeze(const PrepareContext& context);
OperatorResult prepare_sub(const PrepareContext& context);
OperatorResult prepare_tanh(const PrepareContext& context);
OperatorResult prepare_transpose(const PrepareContext& context);
OperatorResult prepare_unsqueeze(const PrepareContext& context);

}  // namespace assay::runtime
