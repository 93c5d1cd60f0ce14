// SPDX-License-Identifier: Apache-2.0
// The factories of the com.microsoft operators, for their table.
#pragma once

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

OperatorResult prepare_bias_gelu(const PrepareContext& context);
OperatorResult prepare_composed_conv(const PrepareContext& context);  // FusedConv as its parts
OperatorResult prepare_dynamic_quantize_matmul(const PrepareContext& context);
OperatorResult prepare_fast_gelu(const PrepareContext& context);
OperatorResult prepare_fused_conv(const PrepareContext& context);
OperatorResult prepare_fused_gemm(const PrepareContext& context);
OperatorResult prepare_fused_matmul(const PrepareContext& context);
OperatorResult prepare_matmul_integer_to_float(const PrepareContext& context);
OperatorResult prepare_qlinear_where(const PrepareContext& context);
OperatorResult prepare_skip_layer_normalization(const PrepareContext& context);

}  // namespace assay::runtime
