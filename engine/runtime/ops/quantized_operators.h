// SPDX-License-Identifier: Apache-2.0
// The factories of the quantized operators, for their table.
#pragma once

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

OperatorResult prepare_quantize_linear(const PrepareContext& context);
OperatorResult prepare_dequantize_linear(const PrepareContext& context);
OperatorResult prepare_dynamic_quantize_linear(const PrepareContext& context);
OperatorResult prepare_qlinear_conv(const PrepareContext& context);
OperatorResult prepare_conv_integer(const PrepareContext& context);
OperatorResult prepare_qlinear_matmul(const PrepareContext& context);
OperatorResult prepare_matmul_integer(const PrepareContext& context);
OperatorResult prepare_qgemm(const PrepareContext& context);
OperatorResult prepare_qlinear_add(const PrepareContext& context);
OperatorResult prepare_qlinear_mul(const PrepareContext& context);
OperatorResult prepare_qlinear_average_pool(const PrepareContext& context);
OperatorResult prepare_qlinear_global_average_pool(const PrepareContext& context);
OperatorResult prepare_byte_lookup(const PrepareContext& context);
OperatorResult prepare_qlinear_concat(const PrepareContext& context);
OperatorResult prepare_qlinear_leaky_relu(const PrepareContext& context);
OperatorResult prepare_qlinear_sigmoid(const PrepareContext& context);
OperatorResult prepare_qlinear_softmax(const PrepareContext& context);

}  // namespace assay::runtime
