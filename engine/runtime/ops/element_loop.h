// SPDX-License-Identifier: Apache-2.0
// Loops over elements that threads share.
#pragma once

#include <algorithm>

#include "engine/runtime/operator.h"
#include "engine/runtime/parallel.h"

namespace assay::runtime {

// Elements that one thread takes at a time: enough to outweigh what sharing costs.
inline constexpr Index kElementPiece = Index{1} << 15;

// Calls body(first, last) for pieces of [0, count).
template <typename Body>
void for_each_piece(Index count, int threads, const Body& body) {
  if (threads <= 1 || count <= kElementPiece) {
    return body(Index{0}, count);
  }
  for_each_task((count + kElementPiece - 1) / kElementPiece, threads,
                [&](Index piece, int) { body(piece * kElementPiece, std::min((piece + 1) * kElementPiece, count)); });
}

// y[i] = f(x[i]) for x, input 0 of the node, which holds T; y may be x's memory.
template <typename Out, typename T, typename F>
Result<Tensor> map_elements(const RunContext& context, const F& f) {
  const Tensor& x = context.input(0);
  ASSAY_ASSIGN(Tensor y, context.output(DTypeOf<Out>::value, x.shape()));
  const T* in = x.data<T>().data();
  Out* out = y.mutable_data<Out>().data();
  for_each_piece(x.size(), context.threads, [&](Index first, Index last) {
#pragma GCC ivdep
    for (Index i = first; i < last; ++i) {
      out[i] = f(in[i]);
    }
  });
  return y;
}

}  // namespace assay::runtime
