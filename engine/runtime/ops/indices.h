// SPDX-License-Identifier: Apache-2.0
// What the gathering and scattering operators share: an int32 or int64 tensor of positions, negative ones counted from
// the end.
#pragma once

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

// The elements of `indices`, each in [0, size), or an error that names one outside [-size, size).
Result<BlockVector<Index>> read_indices(const Tensor& indices, Index size);

// The same without the range, for indices whose range depends on their place.
Result<BlockVector<Index>> raw_indices(const Tensor& indices);

// One index made non-negative.
Result<Index> normalize_index(Index index, Index size);

// GatherElements and ScatterElements: where in `data` each element of `indices` points to, in row-major order. The
// place has the index's own coordinates, but for `axis`, where it has the index. Errors: an index or a coordinate out
// of range.
Result<BlockVector<Index>> element_places(const Shape& data, const Tensor& indices, Index axis);

// GatherND and ScatterND: the last dimension of `indices` holds the leading coordinates (after `batch_dims` shared
// ones) of slices of `length` contiguous elements; `offsets` says where each begins.
struct SlicePlaces {
  BlockVector<Index> offsets;
  Index length = 1;
};
Result<SlicePlaces> slice_places(const Shape& data, const Tensor& indices, std::size_t batch_dims);

}  // namespace assay::runtime
