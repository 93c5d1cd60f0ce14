// SPDX-License-Identifier: Apache-2.0
// ArgMax and ArgMin: the position of the extreme along an axis, the first one or, with select_last_index, the last. The
// first NaN counts as extreme.
#include <cmath>

#include "engine/runtime/ops/reduce_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

struct ArgSpec {
  Index axis = 0;
  bool keepdims = true;
  bool last = false;
  bool max = true;
};

template <typename T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(x);
  } else {
    return false;
  }
}

template <typename T>
Index extreme_position(const T* x, Index length, Index step, const ArgSpec& spec) {
  Index best = 0;
  for (Index i = 1; i < length && !is_nan(x[best * step]); ++i) {
    const T value = x[i * step];
    const T held = x[best * step];
    const bool beats = spec.max ? value > held : value < held;
    if (beats || is_nan(value) || (spec.last && value == held)) {
      best = i;
    }
  }
  return best;
}

Result<Tensor> arg_extreme(const Tensor& x, const ArgSpec& spec) {
  ASSAY_ASSIGN(const Index axis, normalize_axis(spec.axis, x.rank(), "axis"));
  const AxisSplit split = split_at(x.shape(), static_cast<std::size_t>(axis));
  if (split.length == 0) {
    return invalid_argument("there is no extreme along axis " + std::to_string(axis) + " of " + shape_text(x.shape()));
  }
  Shape shape = x.shape();
  if (spec.keepdims) {
    shape[static_cast<std::size_t>(axis)] = 1;
  } else {
    shape.erase(shape.begin() + axis);
  }
  return with_type(NumberTypes(), x.dtype(), "data", [&]<typename T>() -> Result<Tensor> {
    ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(DType::kInt64, shape));
    const T* in = x.data<T>().data();
    Index* to = out.mutable_data<Index>().data();
    for (Index o = 0; o < split.outer; ++o) {
      for (Index i = 0; i < split.inner; ++i) {
        *to++ = extreme_position(in + o * split.length * split.inner + i, split.length, split.inner, spec);
      }
    }
    return out;
  });
}

OperatorResult prepare_arg(const PrepareContext& context, bool max) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const ArgSpec spec{.axis = context.node.int_attribute("axis", 0),
                     .keepdims = context.node.int_attribute("keepdims", 1) != 0,
                     .last = context.node.int_attribute("select_last_index", 0) != 0,
                     .max = max};
  return make_operator([spec](const RunContext& run) { return arg_extreme(run.input(0), spec); }, "float32");
}

}  // namespace

OperatorResult prepare_arg_max(const PrepareContext& context) { return prepare_arg(context, true); }
OperatorResult prepare_arg_min(const PrepareContext& context) { return prepare_arg(context, false); }

}  // namespace assay::runtime
