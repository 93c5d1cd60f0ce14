// SPDX-License-Identifier: Apache-2.0
// What element-wise operators of two operands of one type share.
#pragma once

#include <string>

#include "engine/runtime/ops/broadcast.h"
#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

// Of inputs 0 and 1, A and B. Errors: they differ in type; their shapes do not broadcast.
inline Result<Broadcast> broadcast_of_one_type(const RunContext& context) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  if (a.dtype() != b.dtype()) {
    return invalid_argument("A and B must have one type; found " + std::string(dtype_name(a.dtype())) + " and " +
                            std::string(dtype_name(b.dtype())));
  }
  return Broadcast::make(a.shape(), b.shape());
}

// f(a, b) for every element of A and B, which hold T.
template <typename T, typename Out, typename F>
Result<Tensor> apply_binary(const RunContext& context, const Broadcast& broadcast, const F& f) {
  ASSAY_ASSIGN(Tensor out, context.output(DTypeOf<Out>::value, broadcast.shape()));
  broadcast_apply(broadcast, context.input(0).data<T>().data(), context.input(1).data<T>().data(),
                  out.mutable_data<Out>().data(), f, context.threads);
  return out;
}

}  // namespace assay::runtime
