// SPDX-License-Identifier: Apache-2.0
// The operators that index, generate and reshape data, and those with subgraphs, one row each.
#include <array>

#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

constexpr std::array kRows = {
    OperatorRow{"", "Cast", prepare_cast, HalfPolicy::kAsIs},
    OperatorRow{"", "CastLike", prepare_cast_like, HalfPolicy::kAsIs},
    OperatorRow{"", "Compress", prepare_compress, HalfPolicy::kAsIs},
    OperatorRow{"", "ConstantOfShape", prepare_constant_of_shape, HalfPolicy::kAsIs},
    OperatorRow{"", "DepthToSpace", prepare_depth_to_space, HalfPolicy::kAsIs},
    OperatorRow{"", "Dropout", prepare_dropout, HalfPolicy::kAsIs},
    OperatorRow{"", "Expand", prepare_expand, HalfPolicy::kAsIs},
    OperatorRow{"", "EyeLike", prepare_eye_like},
    OperatorRow{"", "Gather", prepare_gather, HalfPolicy::kAsIs},
    OperatorRow{"", "GatherElements", prepare_gather_elements, HalfPolicy::kAsIs},
    OperatorRow{"", "GatherND", prepare_gather_nd, HalfPolicy::kAsIs},
    OperatorRow{"", "If", prepare_if, HalfPolicy::kAsIs},
    OperatorRow{"", "Loop", prepare_loop, HalfPolicy::kAsIs},
    OperatorRow{"", "NonMaxSuppression", prepare_non_max_suppression},
    OperatorRow{"", "NonZero", prepare_non_zero},
    OperatorRow{"", "OneHot", prepare_one_hot, HalfPolicy::kAsIs},
    OperatorRow{"", "Range", prepare_range},
    OperatorRow{"", "Resize", prepare_resize},
    OperatorRow{"", "ReverseSequence", prepare_reverse_sequence, HalfPolicy::kAsIs},
    OperatorRow{"", "Scan", prepare_scan, HalfPolicy::kAsIs},
    OperatorRow{"", "Scatter", prepare_scatter_elements},
    OperatorRow{"", "ScatterElements", prepare_scatter_elements},
    OperatorRow{"", "ScatterND", prepare_scatter_nd},
    OperatorRow{"", "Shape", prepare_shape, HalfPolicy::kAsIs},
    OperatorRow{"", "Size", prepare_size, HalfPolicy::kAsIs},
    OperatorRow{"", "Slice", prepare_slice, HalfPolicy::kAsIs},
    OperatorRow{"", "SpaceToDepth", prepare_space_to_depth, HalfPolicy::kAsIs},
    OperatorRow{"", "Split", prepare_split, HalfPolicy::kAsIs},
    OperatorRow{"", "Tile", prepare_tile, HalfPolicy::kAsIs},
    OperatorRow{"", "Trilu", prepare_trilu, HalfPolicy::kAsIs},
    OperatorRow{"", "Upsample", prepare_upsample},
};

}  // namespace

std::span<const OperatorRow> structure_operator_rows() { return kRows; }

}  // namespace assay::runtime
