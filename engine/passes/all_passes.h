// SPDX-License-Identifier: Apache-2.0
// The rewrites, each in the file of its name. passes.cpp has their order and what they do.
#pragma once

#include "engine/passes/pass.h"

namespace assay::passes {

Result<Index> eliminate_identity(Graph& graph, const PassContext& context);
Result<Index> eliminate_dropout(Graph& graph, const PassContext& context);
Result<Index> merge_double_qdq(Graph& graph, const PassContext& context);
Result<Index> shape_folding(Graph& graph, const PassContext& context);
Result<Index> constant_folding(Graph& graph, const PassContext& context);
Result<Index> extreme_to_clip(Graph& graph, const PassContext& context);
Result<Index> merge_casts(Graph& graph, const PassContext& context);
Result<Index> merge_slices(Graph& graph, const PassContext& context);
Result<Index> fold_pad(Graph& graph, const PassContext& context);
Result<Index> fold_batch_normalization(Graph& graph, const PassContext& context);
Result<Index> fold_conv_affine(Graph& graph, const PassContext& context);
Result<Index> matmul_add_to_gemm(Graph& graph, const PassContext& context);
Result<Index> sink_transposes(Graph& graph, const PassContext& context);
Result<Index> merge_transposes(Graph& graph, const PassContext& context);
Result<Index> transpose_to_reshape(Graph& graph, const PassContext& context);
Result<Index> merge_reshapes(Graph& graph, const PassContext& context);
Result<Index> eliminate_no_op(Graph& graph, const PassContext& context);
Result<Index> common_subexpressions(Graph& graph, const PassContext& context);

Result<Index> s8_activation_to_u8(Graph& graph, const PassContext& context);
Result<Index> qdq_propagation(Graph& graph, const PassContext& context);
Result<Index> drop_qdq_movement(Graph& graph, const PassContext& context);
Result<Index> drop_qdq_split(Graph& graph, const PassContext& context);
Result<Index> drop_dq_argmax(Graph& graph, const PassContext& context);
Result<Index> fuse_qdq_conv(Graph& graph, const PassContext& context);
Result<Index> fuse_qdq_matmul(Graph& graph, const PassContext& context);
Result<Index> fuse_qdq_gemm(Graph& graph, const PassContext& context);
Result<Index> fuse_qdq_elementwise(Graph& graph, const PassContext& context);
Result<Index> fuse_qdq_pool(Graph& graph, const PassContext& context);
Result<Index> fuse_qdq_unary(Graph& graph, const PassContext& context);
Result<Index> fuse_qdq_lookup(Graph& graph, const PassContext& context);
Result<Index> fuse_qdq_concat(Graph& graph, const PassContext& context);
Result<Index> fuse_qdq_where(Graph& graph, const PassContext& context);
Result<Index> remove_redundant_qdq(Graph& graph, const PassContext& context);
Result<Index> fuse_integer_clamp(Graph& graph, const PassContext& context);
Result<Index> fold_integer_pad(Graph& graph, const PassContext& context);
Result<Index> fuse_matmul_integer_to_float(Graph& graph, const PassContext& context);
Result<Index> fuse_dynamic_quantize_matmul(Graph& graph, const PassContext& context);
Result<Index> fuse_conv_add(Graph& graph, const PassContext& context);
Result<Index> fuse_conv_activation(Graph& graph, const PassContext& context);
Result<Index> fuse_byte_functions(Graph& graph, const PassContext& context);
Result<Index> fuse_elementwise(Graph& graph, const PassContext& context);

}  // namespace assay::passes
