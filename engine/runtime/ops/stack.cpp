// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/stack.h"

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

Result<Tensor> stack(const std::vector<Tensor>& elements, std::size_t axis) {
  if (elements.empty()) {
    return Tensor::allocate(DType::kFloat32, {0});
  }
  const Tensor& first = elements[0];
  Shape shape = first.shape();
  if (axis > shape.size()) {
    return invalid_argument("dimension " + std::to_string(axis) + " cannot be added to " + shape_text(shape));
  }
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<Index>(elements.size()));
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(first.dtype(), shape));
  const auto outer = static_cast<std::size_t>(dims_product(shape, 0, axis));
  const std::size_t chunk = outer == 0 ? 0 : first.size_bytes() / outer;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].dtype() != first.dtype() || elements[i].shape() != first.shape()) {
      return invalid_argument("stacked tensors must have one type and shape; found " +
                              std::string(dtype_name(first.dtype())) + shape_text(first.shape()) + " and " +
                              std::string(dtype_name(elements[i].dtype())) + shape_text(elements[i].shape()));
    }
    for (std::size_t o = 0; o < outer && chunk > 0; ++o) {
      std::memcpy(out.mutable_bytes() + (o * elements.size() + i) * chunk, elements[i].bytes() + o * chunk, chunk);
    }
  }
  return out;
}

Result<Tensor> slice_at(const Tensor& tensor, std::size_t axis, Index position) {
  const AxisSplit split = split_at(tensor.shape(), axis);
  Shape shape = tensor.shape();
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(tensor.dtype(), shape));
  const std::size_t chunk = static_cast<std::size_t>(split.inner) * dtype_size_bytes(tensor.dtype());
  for (Index o = 0; o < split.outer && chunk > 0; ++o) {
    std::memcpy(out.mutable_bytes() + static_cast<std::size_t>(o) * chunk,
                tensor.bytes() + static_cast<std::size_t>(o * split.length + position) * chunk, chunk);
  }
  return out;
}

}  // namespace assay::runtime
