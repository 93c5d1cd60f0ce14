// SPDX-License-Identifier: Apache-2.0
// CumSum and CumProd along an axis, `exclusive` (each element leaves itself out) and `reverse` (from the end). Floats
// are accumulated in their own type, integers wrap.
#include "engine/runtime/ops/reduce_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

struct CumulativeSpec {
  bool exclusive = false;
  bool reverse = false;
};

using SummedTypes = Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;

template <typename T, typename F>
Result<Tensor> accumulate(const Tensor& x, const AxisSplit& split, const CumulativeSpec& spec, T start, const F& f) {
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
  const T* in = x.data<T>().data();
  T* out = y.mutable_data<T>().data();
  for (Index o = 0; o < split.outer; ++o) {
    for (Index i = 0; i < split.inner; ++i) {
      T total = start;
      for (Index j = 0; j < split.length; ++j) {
        const Index at = (o * split.length + (spec.reverse ? split.length - 1 - j : j)) * split.inner + i;
        const T next = f(total, in[at]);
        out[at] = spec.exclusive ? total : next;
        total = next;
      }
    }
  }
  return y;
}

template <typename F>
OperatorResult prepare_cumulative(const PrepareContext& context, int start, F f) {
  ASSAY_TRY(check_arity(context, 2, 2));
  const CumulativeSpec spec{.exclusive = context.node.int_attribute("exclusive", 0) != 0,
                            .reverse = context.node.int_attribute("reverse", 0) != 0};
  return make_operator(
      [spec, start, f](const RunContext& run) -> Result<Tensor> {
        const Tensor& x = run.input(0);
        ASSAY_ASSIGN(const IndexList list, index_list(run.input(1), "axis"));
        if (list.size() != 1) {
          return invalid_argument("axis must have one element; found " + shape_text(run.input(1).shape()));
        }
        ASSAY_ASSIGN(const Index axis, normalize_axis(list[0], x.rank(), "axis"));
        const AxisSplit split = split_at(x.shape(), static_cast<std::size_t>(axis));
        return with_type(SummedTypes(), x.dtype(), "x",
                         [&]<typename T>() { return accumulate<T>(x, split, spec, static_cast<T>(start), f); });
      },
      "float32");
}

}  // namespace

OperatorResult prepare_cum_sum(const PrepareContext& context) {
  return prepare_cumulative(context, 0, []<typename T>(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  });
}
OperatorResult prepare_cum_prod(const PrepareContext& context) {
  return prepare_cumulative(context, 1, []<typename T>(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  });
}

}  // namespace assay::runtime
