// SPDX-License-Identifier: Apache-2.0
// MaxPool on float32, int8 and uint8. Padding never wins: a window that lies wholly in it gives the type's lowest value
// (-infinity for floats). NaN in a window gives NaN.
#include <algorithm>
#include <limits>

#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/window.h"

namespace assay::runtime {
namespace {

template <typename T>
constexpr T lowest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

// Maximum that keeps a NaN on either side.
template <typename T>
T larger(T best, T value) {
  return value > best || value != value ? value : best;  // NOLINT(misc-redundant-expression): true for NaN
}

// One output row: taps outermost, so that the inner loop runs over outputs.
template <typename T>
void pool_row(const Window& window, Index oy, const T* plane, T* out) {
  std::fill(out, out + window.w.output, lowest<T>());
  const TapRange rows = taps_inside(window.h, oy);
  for (Index ky = rows.begin; ky < rows.end; ++ky) {
    const T* row = plane + (rows.first_input + (ky - rows.begin) * window.h.dilation) * window.w.input;
    for (Index kx = 0; kx < window.w.kernel; ++kx) {
      const OutputRange columns = outputs_reading(window.w, kx);
      const T* in = row + columns.first_input;
      for (Index i = 0; i < columns.end - columns.begin; ++i) {
        out[columns.begin + i] = larger(out[columns.begin + i], in[i * window.w.stride]);
      }
    }
  }
}

template <typename T>
Result<Tensor> pool(const Tensor& x, const Window& window) {
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), window.output_shape({x.dim(0), x.dim(1)})));
  if (y.size() == 0) {
    return y;
  }
  const T* in = x.data<T>().data();
  T* out = y.mutable_data<T>().data();
  for (Index plane = 0; plane < x.dim(0) * x.dim(1); ++plane) {
    for (Index oy = 0; oy < window.h.output; ++oy) {
      pool_row(window, oy, in + plane * window.h.input * window.w.input, out);
      out += window.w.output;
    }
  }
  return y;
}

Result<Tensor> max_pool(const Tensor& x, const WindowSpec& spec) {
  ASSAY_TRY(check_type(x, "X", {DType::kFloat32, DType::kInt8, DType::kUint8}));
  ASSAY_ASSIGN(const Window window, resolve_window(spec, x.shape(), spec.kernel));
  ASSAY_TRY(check_pool_window(window));
  switch (x.dtype()) {
    case DType::kInt8:
      return pool<std::int8_t>(x, window);
    case DType::kUint8:
      return pool<std::uint8_t>(x, window);
    default:
      return pool<float>(x, window);
  }
}

}  // namespace

OperatorResult prepare_max_pool(const PrepareContext& context) {
  if (context.node.outputs.size() > 1 && !context.node.outputs[1].empty()) {
    return unsupported("the output Indices ('" + context.node.outputs[1] + "') is not computed");
  }
  ASSAY_TRY(check_arity(context, 1, 1));
  ASSAY_ASSIGN(const WindowSpec spec, read_pool_spec(context.node));
  return make_operator([spec](const RunContext& run) { return max_pool(run.input(0), spec); }, "float32");
}

}  // namespace assay::runtime
