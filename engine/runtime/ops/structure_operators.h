// SPDX-License-Identifier: Apache-2.0
// The factories of the indexing, generating and control-flow operators, for their table.
#pragma once

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

OperatorResult prepare_cast(const PrepareContext& context);
OperatorResult prepare_cast_like(const PrepareContext& context);
OperatorResult prepare_compress(const PrepareContext& context);
OperatorResult prepare_constant_of_shape(const PrepareContext& context);
OperatorResult prepare_depth_to_space(const PrepareContext& context);
OperatorResult prepare_dropout(const PrepareContext& context);
OperatorResult prepare_expand(const PrepareContext& context);
OperatorResult prepare_eye_like(const PrepareContext& context);
OperatorResult prepare_gather(const PrepareContext& context);
OperatorResult prepare_gather_elements(const PrepareContext& context);
OperatorResult prepare_gather_nd(const PrepareContext& context);
OperatorResult prepare_if(const PrepareContext& context);
OperatorResult prepare_loop(const PrepareContext& context);
OperatorResult prepare_non_max_suppression(const PrepareContext& context);
OperatorResult prepare_non_zero(const PrepareContext& context);
OperatorResult prepare_one_hot(const PrepareContext& context);
OperatorResult prepare_range(const PrepareContext& context);
OperatorResult prepare_resize(const PrepareContext& context);
OperatorResult prepare_reverse_sequence(const PrepareContext& context);
OperatorResult prepare_scan(const PrepareContext& context);
OperatorResult prepare_scatter_elements(const PrepareContext& context);
OperatorResult prepare_scatter_nd(const PrepareContext& context);
OperatorResult prepare_shape(const PrepareContext& context);
OperatorResult prepare_size(const PrepareContext& context);
OperatorResult prepare_slice(const PrepareContext& context);
OperatorResult prepare_space_to_depth(const PrepareContext& context);
OperatorResult prepare_split(const PrepareContext& context);
OperatorResult prepare_tile(const PrepareContext& context);
OperatorResult prepare_trilu(const PrepareContext& context);
OperatorResult prepare_upsample(const PrepareContext& context);

}  // namespace assay::runtime
