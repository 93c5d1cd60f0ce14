// SPDX-License-Identifier: Apache-2.0
// Gather, GatherElements, GatherND and Compress: any element type.
#include <optional>

#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/indices.h"
#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

// Slices of `inner` elements along an axis, at the positions given.
Result<Tensor> take(const Tensor& data, std::size_t axis, const BlockVector<Index>& positions, Shape shape) {
  const AxisSplit split = split_at(data.shape(), axis);
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(data.dtype(), std::move(shape)));
  const std::size_t chunk = static_cast<std::size_t>(split.inner) * dtype_size_bytes(data.dtype());
  std::byte* to = out.mutable_bytes();
  for (Index o = 0; o < split.outer && chunk > 0; ++o) {
    const std::byte* from = data.bytes() + static_cast<std::size_t>(o * split.length) * chunk;
    for (const Index position : positions) {
      std::memcpy(to, from + static_cast<std::size_t>(position) * chunk, chunk);
      to += chunk;
    }
  }
  return out;
}

Result<Tensor> gather(const RunContext& context, Index requested_axis) {
  const Tensor& data = context.input(0);
  const Tensor& indices = context.input(1);
  ASSAY_ASSIGN(const Index axis, normalize_axis(requested_axis, data.rank(), "axis"));
  const auto at = static_cast<std::size_t>(axis);
  ASSAY_ASSIGN(const BlockVector<Index> positions, read_indices(indices, data.dim(at)));
  Shape shape(data.shape().begin(), data.shape().begin() + axis);
  shape.insert(shape.end(), indices.shape().begin(), indices.shape().end());
  shape.insert(shape.end(), data.shape().begin() + axis + 1, data.shape().end());
  return take(data, at, positions, std::move(shape));
}

Result<Tensor> gather_elements(const RunContext& context, Index requested_axis) {
  const Tensor& data = context.input(0);
  const Tensor& indices = context.input(1);
  ASSAY_ASSIGN(const Index axis, normalize_axis(requested_axis, data.rank(), "axis"));
  if (indices.rank() != data.rank()) {
    return invalid_argument("indices must have data's rank; found " + shape_text(indices.shape()) + " for " +
                            shape_text(data.shape()));
  }
  ASSAY_ASSIGN(const BlockVector<Index> places, element_places(data.shape(), indices, axis));
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(data.dtype(), indices.shape()));
  with_element_size(dtype_size_bytes(data.dtype()), [&]<typename T>() {
    const T* from = reinterpret_cast<const T*>(data.bytes());
    T* to = reinterpret_cast<T*>(out.mutable_bytes());
    for (std::size_t i = 0; i < places.size(); ++i) {
      to[i] = from[places[i]];
    }
  });
  return out;
}

Result<Tensor> gather_nd(const RunContext& context, Index batch_dims) {
  const Tensor& data = context.input(0);
  const Tensor& indices = context.input(1);
  ASSAY_ASSIGN(const SlicePlaces places, slice_places(data.shape(), indices, static_cast<std::size_t>(batch_dims)));
  Shape shape(indices.shape().begin(), indices.shape().end() - 1);
  const auto used = batch_dims + indices.shape().back();
  shape.insert(shape.end(), data.shape().begin() + used, data.shape().end());
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(data.dtype(), shape));
  const std::size_t size = dtype_size_bytes(data.dtype());
  const std::size_t chunk = static_cast<std::size_t>(places.length) * size;
  for (std::size_t i = 0; i < places.offsets.size() && chunk > 0; ++i) {
    std::memcpy(out.mutable_bytes() + i * chunk, data.bytes() + static_cast<std::size_t>(places.offsets[i]) * size,
                chunk);
  }
  return out;
}

Result<Tensor> compress(const RunContext& context, std::optional<Index> requested_axis) {
  const Tensor& condition = context.input(1);
  ASSAY_TRY(check_type(condition, "condition", {DType::kBool}));
  ASSAY_TRY(check_rank(condition, "condition", 1));
  const Tensor data =
      requested_axis.has_value() ? context.input(0) : context.input(0).reshaped({context.input(0).size()});
  ASSAY_ASSIGN(const Index axis, normalize_axis(requested_axis.value_or(0), data.rank(), "axis"));
  const auto at = static_cast<std::size_t>(axis);
  if (condition.size() > data.dim(at)) {
    return invalid_argument("condition may have up to " + std::to_string(data.dim(at)) + " elements; found " +
                            std::to_string(condition.size()));
  }
  BlockVector<Index> positions;
  positions.reserve(static_cast<std::size_t>(condition.size()));
  for (Index i = 0; i < condition.size(); ++i) {
    if (condition.data<bool>()[static_cast<std::size_t>(i)]) {
      positions.push_back(i);
    }
  }
  Shape shape = data.shape();
  shape[at] = static_cast<Index>(positions.size());
  return take(data, at, positions, std::move(shape));
}

}  // namespace

OperatorResult prepare_gather(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  const Index axis = context.node.int_attribute("axis", 0);
  return make_operator([axis](const RunContext& run) { return gather(run, axis); }, "move");
}
OperatorResult prepare_gather_elements(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  const Index axis = context.node.int_attribute("axis", 0);
  return make_operator([axis](const RunContext& run) { return gather_elements(run, axis); }, "move");
}
OperatorResult prepare_gather_nd(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  const Index batch_dims = context.node.int_attribute("batch_dims", 0);
  if (batch_dims < 0) {
    return invalid_model("batch_dims must not be negative; found " + std::to_string(batch_dims));
  }
  return make_operator([batch_dims](const RunContext& run) { return gather_nd(run, batch_dims); }, "move");
}
OperatorResult prepare_compress(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  std::optional<Index> axis;
  if (context.node.has_attribute("axis")) {
    axis = context.node.int_attribute("axis", 0);
  }
  return make_operator([axis](const RunContext& run) { return compress(run, axis); }, "move");
}

}  // namespace assay::runtime
