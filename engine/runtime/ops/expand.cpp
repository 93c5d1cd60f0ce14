// SPDX-License-Identifier: Apache-2.0
// Expand and Tile: any element type.
#include <algorithm>

#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/strided.h"
#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

// Reads `data` with the given strides under `shape`.
Result<Tensor> read_strided(const Tensor& data, const Shape& walked, const Strides& strides, Shape shape) {
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(data.dtype(), std::move(shape)));
  Shape rows = walked;
  std::array<Strides, 1> steps = {strides};
  merge_dimensions(rows, steps);
  with_element_size(dtype_size_bytes(data.dtype()), [&]<typename T>() {
    const T* from = reinterpret_cast<const T*>(data.bytes());
    T* to = reinterpret_cast<T*>(out.mutable_bytes());
    for_each_row<1>(rows, steps, [&](const auto& offsets, Index count, const auto& step) {
      const T* row = from + offsets[0];
      if (step[0] == 0) {
        std::fill_n(to, count, *row);
      } else {
        std::copy_n(row, count, to);
      }
      to += count;
    });
  });
  return out;
}

Result<Tensor> expand(const RunContext& context) {
  const Tensor& data = context.input(0);
  ASSAY_ASSIGN(const Shape requested, index_list(context.input(1), "shape"));
  ASSAY_ASSIGN(const Shape shape, broadcast_shape(data.shape(), requested));
  ASSAY_ASSIGN(const Index count, element_count(shape));
  if (count == data.size()) {
    return data.reshaped(shape);
  }
  return read_strided(data, shape, broadcast_strides(data.shape(), shape), shape);
}

// Every dimension becomes two: repetitions (stride 0), then the dimension itself.
Result<Tensor> tile(const RunContext& context) {
  const Tensor& data = context.input(0);
  ASSAY_ASSIGN(const IndexList repeats, index_list(context.input(1), "repeats"));
  if (repeats.size() != data.rank() ||
      std::any_of(repeats.begin(), repeats.end(), [](Index repeat) { return repeat < 0; })) {
    return invalid_argument("repeats must hold a count for each of the " + std::to_string(data.rank()) +
                            " dimensions; found " + shape_text(repeats));
  }
  Shape shape = data.shape();
  Shape walked;
  Strides strides;
  const Strides own = contiguous_strides(data.shape());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    walked.insert(walked.end(), {repeats[i], shape[i]});
    strides.insert(strides.end(), {0, own[i]});
    ASSAY_ASSIGN(shape[i], element_count({shape[i], repeats[i]}));
  }
  return read_strided(data, walked, strides, shape);
}

}  // namespace

OperatorResult prepare_expand(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_operator(expand, "move");
}
OperatorResult prepare_tile(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_operator(tile, "move");
}

}  // namespace assay::runtime
