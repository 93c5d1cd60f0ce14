// SPDX-License-Identifier: Apache-2.0
// Where: X where the condition holds, else Y; the three are broadcast. Any element type.
#include "engine/runtime/ops/element_copy.h"
#include "engine/runtime/ops/elementwise_operators.h"
#include "engine/runtime/ops/strided.h"

namespace assay::runtime {
namespace {

Result<Tensor> where(const RunContext& context) {
  const Tensor& condition = context.input(0);
  const Tensor& x = context.input(1);
  const Tensor& y = context.input(2);
  ASSAY_TRY(check_type(condition, "condition", {DType::kBool}));
  if (x.dtype() != y.dtype()) {
    return invalid_argument("X and Y must have one type; found " + std::string(dtype_name(x.dtype())) + " and " +
                            std::string(dtype_name(y.dtype())));
  }
  ASSAY_ASSIGN(const Shape pair, broadcast_shape(x.shape(), y.shape()));
  ASSAY_ASSIGN(Shape shape, broadcast_shape(condition.shape(), pair));
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(x.dtype(), shape));
  std::array<Strides, 4> strides = {broadcast_strides(condition.shape(), shape), broadcast_strides(x.shape(), shape),
                                    broadcast_strides(y.shape(), shape), contiguous_strides(shape)};
  merge_dimensions(shape, strides);
  with_element_size(dtype_size_bytes(x.dtype()), [&]<typename T>() {
    const bool* flags = condition.data<bool>().data();
    const T* left = reinterpret_cast<const T*>(x.bytes());
    const T* right = reinterpret_cast<const T*>(y.bytes());
    T* to = reinterpret_cast<T*>(out.mutable_bytes());
    for_each_row<4>(shape, strides, [&](const auto& offsets, Index count, const auto& steps) {
      for (Index i = 0; i < count; ++i) {
        to[offsets[3] + i] =
            flags[offsets[0] + i * steps[0]] ? left[offsets[1] + i * steps[1]] : right[offsets[2] + i * steps[2]];
      }
    });
  });
  return out;
}

}  // namespace

OperatorResult prepare_where(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 3, 3));
  return make_operator(where, "move");
}

}  // namespace assay::runtime
