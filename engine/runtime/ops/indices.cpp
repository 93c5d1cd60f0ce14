// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/indices.h"

#include <algorithm>

#include "engine/runtime/ops/strided.h"

namespace assay::runtime {

Result<BlockVector<Index>> raw_indices(const Tensor& indices) {
  ASSAY_TRY(check_type(indices, "indices", {DType::kInt32, DType::kInt64}));
  const auto list_of = [](const auto& elements) { return BlockVector<Index>(elements.begin(), elements.end()); };
  return indices.dtype() == DType::kInt32 ? list_of(indices.data<std::int32_t>()) : list_of(indices.data<Index>());
}

Result<Index> normalize_index(Index index, Index size) {
  if (index < -size || index >= size) {
    return invalid_argument("an index must lie in [" + std::to_string(-size) + ", " + std::to_string(size - 1) +
                            "]; found " + std::to_string(index));
  }
  return index < 0 ? index + size : index;
}

Result<BlockVector<Index>> read_indices(const Tensor& indices, Index size) {
  ASSAY_ASSIGN(BlockVector<Index> list, raw_indices(indices));
  for (Index& index : list) {
    ASSAY_ASSIGN(index, normalize_index(index, size));
  }
  return list;
}

Result<BlockVector<Index>> element_places(const Shape& data, const Tensor& indices, Index axis) {
  const Shape& shape = indices.shape();
  const auto at = static_cast<std::size_t>(axis);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != at && shape[i] > data[i]) {
      return invalid_argument("indices of shape " + shape_text(shape) + " reach beyond data of shape " +
                              shape_text(data) + " in dimension " + std::to_string(i));
    }
  }
  ASSAY_ASSIGN(BlockVector<Index> places, read_indices(indices, data[at]));
  std::array<Strides, 2> strides = {contiguous_strides(shape), contiguous_strides(data)};
  const Index along = strides[1][at];
  strides[1][at] = 0;
  for_each_row<2>(shape, strides, [&](const auto& offsets, Index count, const auto& steps) {
    for (Index i = 0; i < count; ++i) {
      Index& place = places[static_cast<std::size_t>(offsets[0] + i)];
      place = place * along + offsets[1] + i * steps[1];
    }
  });
  return places;
}

Result<SlicePlaces> slice_places(const Shape& data, const Tensor& indices, std::size_t batch_dims) {
  const Shape& shape = indices.shape();
  if (shape.empty() || data.size() < batch_dims || shape.size() <= batch_dims ||
      !std::equal(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(batch_dims), data.begin())) {
    return invalid_argument("indices of shape " + shape_text(shape) + " do not fit data of shape " + shape_text(data) +
                            " with " + std::to_string(batch_dims) + " batch dimensions");
  }
  const auto depth = static_cast<std::size_t>(shape.back());
  if (batch_dims + depth > data.size()) {
    return invalid_argument("indices of shape " + shape_text(shape) + " name " + std::to_string(depth) +
                            " coordinates; data of shape " + shape_text(data) + " have " +
                            std::to_string(data.size() - batch_dims));
  }
  ASSAY_ASSIGN(const BlockVector<Index> list, raw_indices(indices));
  const Strides strides = contiguous_strides(data);
  SlicePlaces places;
  places.length = dims_product(data, batch_dims + depth, data.size());
  const Index count = dims_product(shape, 0, shape.size() - 1);
  const Index batch = dims_product(shape, 0, batch_dims);
  const Index per_batch = batch == 0 ? 0 : count / batch;
  const Index batch_stride = dims_product(data, batch_dims, data.size());
  places.offsets.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    Index offset = i / per_batch * batch_stride;
    for (std::size_t j = 0; j < depth; ++j) {
      ASSAY_ASSIGN(const Index index,
                   normalize_index(list[static_cast<std::size_t>(i) * depth + j], data[batch_dims + j]));
      offset += index * strides[batch_dims + j];
    }
    places.offsets.push_back(offset);
  }
  return places;
}

}  // namespace assay::runtime
