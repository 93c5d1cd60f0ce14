// SPDX-License-Identifier: Apache-2.0
// Scatter, ScatterElements and ScatterND: a copy of data with updates at the places that indices name; with a
// reduction, an update is combined with what is there, in the order of the indices.
#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/indices.h"
#include "engine/runtime/ops/structure_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

enum class Reduction { kNone, kAdd, kMul, kMin, kMax };

Result<Reduction> read_reduction(const Node& node) {
  const std::string name = node.string_attribute("reduction", "none");
  if (name == "none") {
    return Reduction::kNone;
  }
  if (name == "add") {
    return Reduction::kAdd;
  }
  if (name == "mul") {
    return Reduction::kMul;
  }
  if (name == "min") {
    return Reduction::kMin;
  }
  if (name == "max") {
    return Reduction::kMax;
  }
  return invalid_model("reduction must be none, add, mul, min or max; found '" + name + "'");
}

template <typename T, typename F>
void combine(const Tensor& updates, const SlicePlaces& placement, Tensor& out, const F& f) {
  const T* from = reinterpret_cast<const T*>(updates.bytes());
  T* to = reinterpret_cast<T*>(out.mutable_bytes());
  for (const Index offset : placement.offsets) {
    for (Index i = 0; i < placement.length; ++i) {
      to[offset + i] = f(to[offset + i], *from++);
    }
  }
}

template <typename T>
void reduce(const Tensor& updates, const SlicePlaces& placement, Reduction reduction, Tensor& out) {
  switch (reduction) {
    case Reduction::kNone:
      break;
    case Reduction::kAdd:
      combine<T>(updates, placement, out,
                 [](T a, T b) { return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b)); });
      break;
    case Reduction::kMul:
      combine<T>(updates, placement, out,
                 [](T a, T b) { return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b)); });
      break;
    case Reduction::kMin:
      combine<T>(updates, placement, out, [](T a, T b) { return b < a ? b : a; });
      break;
    case Reduction::kMax:
      combine<T>(updates, placement, out, [](T a, T b) { return b > a ? b : a; });
      break;
  }
}

Result<Tensor> scatter(const Tensor& data, const Tensor& updates, const SlicePlaces& placement, Reduction reduction) {
  if (data.dtype() != updates.dtype()) {
    return invalid_argument("updates must have data's type " + std::string(dtype_name(data.dtype())) + "; found " +
                            std::string(dtype_name(updates.dtype())));
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(data.dtype(), data.shape()));
  if (data.size_bytes() > 0) {
    std::memcpy(out.mutable_bytes(), data.bytes(), data.size_bytes());
  }
  if (reduction == Reduction::kNone) {
    with_element_size(dtype_size_bytes(data.dtype()),
                      [&]<typename T>() { combine<T>(updates, placement, out, [](T, T b) { return b; }); });
    return out;
  }
  return with_type(NumberTypes(), data.dtype(), "data", [&]<typename T>() -> Result<Tensor> {
    reduce<T>(updates, placement, reduction, out);
    return out;
  });
}

Result<Tensor> scatter_elements(const RunContext& context, Index requested_axis, Reduction reduction) {
  const Tensor& data = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& updates = context.input(2);
  ASSAY_ASSIGN(const Index axis, normalize_axis(requested_axis, data.rank(), "axis"));
  if (indices.rank() != data.rank() || updates.shape() != indices.shape()) {
    return invalid_argument("indices must have data's rank and updates the shape of indices; found data " +
                            shape_text(data.shape()) + ", indices " + shape_text(indices.shape()) + ", updates " +
                            shape_text(updates.shape()));
  }
  SlicePlaces placement;
  ASSAY_ASSIGN(placement.offsets, element_places(data.shape(), indices, axis));
  return scatter(data, updates, placement, reduction);
}

Result<Tensor> scatter_nd(const RunContext& context, Reduction reduction) {
  const Tensor& data = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& updates = context.input(2);
  ASSAY_ASSIGN(const SlicePlaces places, slice_places(data.shape(), indices, 0));
  Shape wanted = indices.shape();
  wanted.pop_back();
  for (auto axis = static_cast<std::size_t>(indices.dim(indices.rank() - 1)); axis < data.rank(); ++axis) {
    wanted.push_back(data.dim(axis));
  }
  if (updates.shape() != wanted) {
    return invalid_argument("updates must have the shape " + shape_text(wanted) +
                            ", that of the slices that indices name; found " + shape_text(updates.shape()));
  }
  return scatter(data, updates, places, reduction);
}

}  // namespace

OperatorResult prepare_scatter_elements(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 3, 3));
  ASSAY_ASSIGN(const Reduction reduction, read_reduction(context.node));
  const Index axis = context.node.int_attribute("axis", 0);
  return make_operator([axis, reduction](const RunContext& run) { return scatter_elements(run, axis, reduction); },
                       "move");
}

OperatorResult prepare_scatter_nd(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 3, 3));
  ASSAY_ASSIGN(const Reduction reduction, read_reduction(context.node));
  return make_operator([reduction](const RunContext& run) { return scatter_nd(run, reduction); }, "move");
}

}  // namespace assay::runtime
