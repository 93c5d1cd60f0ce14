// SPDX-License-Identifier: Apache-2.0
// Reductions over a set of axes. Floats are accumulated in double, integers in 64 bits (wrapping), Min and Max in the
// type itself. Over no elements: 0 for sums and norms, 1 for Prod, the type's extreme for Min and Max, NaN for Mean,
// -infinity for LogSum and LogSumExp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/runtime/ops/reduce_operators.h"
#include "engine/runtime/ops/strided.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double,
                                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

// Each reduction: start value, one step, and the end for n elements. Acc is the accumulator.
struct SumRule {
  template <typename T>
  using Acc = Accumulator<T>;
  template <typename A, typename T>
  static A start() {
    return 0;
  }
  template <typename A, typename T>
  static A step(A acc, T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return acc + static_cast<A>(x);
    } else {
      return static_cast<A>(static_cast<std::uint64_t>(acc) + static_cast<std::uint64_t>(x));
    }
  }
  template <typename T, typename A>
  static T end(A acc, Index /*count*/) {
    return static_cast<T>(acc);
  }
};
struct MeanRule : SumRule {
  template <typename T, typename A>
  static T end(A acc, Index count) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(acc / static_cast<A>(count));
    } else {
      return count == 0 ? T{0} : static_cast<T>(acc / static_cast<A>(count));
    }
  }
};
struct LogSumRule : SumRule {
  template <typename T, typename A>
  static T end(A acc, Index /*count*/) {
    return static_cast<T>(std::log(static_cast<double>(acc)));
  }
};
struct L1Rule : SumRule {
  template <typename A, typename T>
  static A step(A acc, T x) {
    if constexpr (std::is_signed_v<T>) {
      return SumRule::step(acc, x < 0 ? static_cast<A>(-static_cast<A>(x)) : static_cast<A>(x));
    } else {
      return SumRule::step(acc, x);
    }
  }
};
struct SumSquareRule : SumRule {
  template <typename A, typename T>
  static A step(A acc, T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return acc + static_cast<A>(x) * static_cast<A>(x);
    } else {
      const auto wide = static_cast<std::uint64_t>(x);
      return static_cast<A>(static_cast<std::uint64_t>(acc) + wide * wide);
    }
  }
};
struct L2Rule : SumSquareRule {
  template <typename T, typename A>
  static T end(A acc, Index /*count*/) {
    return static_cast<T>(std::sqrt(static_cast<double>(acc)));
  }
};
struct ProdRule : SumRule {
  template <typename A, typename T>
  static A start() {
    return 1;
  }
  template <typename A, typename T>
  static A step(A acc, T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return acc * static_cast<A>(x);
    } else {
      return static_cast<A>(static_cast<std::uint64_t>(acc) * static_cast<std::uint64_t>(x));
    }
  }
};
template <bool kMax>
struct ExtremeRule {
  template <typename T>
  using Acc = T;
  template <typename A, typename T>
  static A start() {
    if constexpr (std::is_floating_point_v<T>) {
      return kMax ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    } else {
      return static_cast<A>(kMax ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max());
    }
  }
  template <typename A, typename T>
  static A step(A acc, T x) {
    const auto value = static_cast<A>(x);
    if constexpr (std::is_floating_point_v<T>) {
      return (kMax ? value > acc : value < acc) || std::isnan(value) ? value : acc;
    } else {
      return (kMax ? value > acc : value < acc) ? value : acc;
    }
  }
  template <typename T, typename A>
  static T end(A acc, Index /*count*/) {
    return static_cast<T>(acc);
  }
};

// The reduction as two walks over the input: `strides` of the output are 0 along reduced dimensions.
struct Walk {
  Shape shape;
  std::array<Strides, 2> strides;  // input, output
  Index count = 1;                 // elements per output
};

Walk make_walk(const Shape& x, const Shape& kept) {
  Walk walk{.shape = x, .strides = {contiguous_strides(x), broadcast_strides(kept, x)}, .count = 1};
  for (std::size_t i = 0; i < x.size(); ++i) {
    walk.count *= kept[i] == x[i] ? 1 : x[i];
    // A dimension of size 1 that is kept has stride 0 too, which does no harm: it is walked once.
  }
  merge_dimensions(walk.shape, walk.strides);
  return walk;
}

template <typename Rule, typename T>
Result<Tensor> reduce_as(const Tensor& x, const Shape& kept) {
  using Acc = typename Rule::template Acc<T>;
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(x.dtype(), kept));
  const Walk walk = make_walk(x.shape(), kept);
  BlockVector<Acc> sums(static_cast<std::size_t>(out.size()), Rule::template start<Acc, T>());
  const T* in = x.data<T>().data();
  for_each_row<2>(walk.shape, walk.strides, [&](const auto& offsets, Index count, const auto& steps) {
    const T* row = in + offsets[0];
    Acc* to = sums.data() + offsets[1];
    if (steps[1] == 0) {
      Acc acc = *to;
      for (Index i = 0; i < count; ++i) {
        acc = Rule::template step<Acc, T>(acc, row[i]);
      }
      *to = acc;
    } else {
      for (Index i = 0; i < count; ++i) {
        to[i] = Rule::template step<Acc, T>(to[i], row[i]);
      }
    }
  });
  T* to = out.mutable_data<T>().data();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    to[i] = Rule::template end<T, Acc>(sums[i], walk.count);
  }
  return out;
}

// Integers are reduced in 64 bits: sums and products wrap to the same low bits, and the rest fits.
using WideTypes = Types<float, double, std::int64_t, std::uint64_t>;

DType wide_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kFloat64:
    case DType::kUint64:
      return dtype;
    default:
      return DType::kInt64;
  }
}

Result<Tensor> widened(const Tensor& x) {
  if (wide_type(x.dtype()) == x.dtype()) {
    return x;
  }
  return Tensor::from(x.shape(), x.to_indices());
}

Result<Tensor> narrowed(const Tensor& y, DType dtype) {
  if (y.dtype() == dtype) {
    return y;
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(dtype, y.shape()));
  const auto from = y.data<Index>();
  const std::size_t size = dtype_size_bytes(dtype);
  for (std::size_t i = 0; i < from.size(); ++i) {  // little-endian: the low bytes come first
    std::memcpy(out.mutable_bytes() + i * size, &from[i], size);
  }
  return out;
}

template <typename Rule>
Result<Tensor> reduce_by(const Tensor& x, const Shape& kept) {
  if (is_8bit(x.dtype()) || x.dtype() == DType::kInt16 || x.dtype() == DType::kUint16 || x.dtype() == DType::kBool) {
    return unsupported("data must not have the type " + std::string(dtype_name(x.dtype())));
  }
  ASSAY_ASSIGN(const Tensor wide, widened(x));
  ASSAY_ASSIGN(const Tensor y, with_type(WideTypes(), wide.dtype(), "data", [&]<typename T>() -> Result<Tensor> {
                 return reduce_as<Rule, T>(wide, kept);
               }));
  return narrowed(y, x.dtype());
}

// Over no elements: the extreme of the narrow type.
Result<Tensor> extreme_of_nothing(DType dtype, const Shape& kept, bool max) {
  return with_type(NumberAndBoolTypes(), dtype, "data", [&]<typename T>() -> Result<Tensor> {
    ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(dtype, kept));
    const T value = max ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    std::fill_n(out.mutable_data<T>().data(), out.size(), value);
    return out;
  });
}

template <bool kMax>
Result<Tensor> reduce_extreme(const Tensor& x, const Shape& kept) {
  if (x.size() == 0 && wide_type(x.dtype()) != x.dtype()) {
    return extreme_of_nothing(x.dtype(), kept, kMax);
  }
  ASSAY_ASSIGN(const Tensor wide, widened(x));
  ASSAY_ASSIGN(const Tensor y, with_type(WideTypes(), wide.dtype(), "data", [&]<typename T>() -> Result<Tensor> {
                 return reduce_as<ExtremeRule<kMax>, T>(wide, kept);
               }));
  return narrowed(y, x.dtype());
}

// log(sum(exp(x))) = m + log(sum(exp(x - m))) with m the largest x, where that is finite.
Result<Tensor> reduce_log_sum_exp(const Tensor& x, const Shape& kept) {
  return with_type(FloatTypes(), x.dtype(), "data", [&]<typename T>() -> Result<Tensor> {
    ASSAY_ASSIGN(Tensor largest, (reduce_as<ExtremeRule<true>, T>(x, kept)));
    ASSAY_ASSIGN(Tensor shifted, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
    const Walk walk = make_walk(x.shape(), kept);
    T* top = largest.mutable_data<T>().data();
    for (Index i = 0; i < largest.size(); ++i) {
      top[i] = std::isfinite(top[i]) ? top[i] : T{0};
    }
    const T* in = x.data<T>().data();
    T* to = shifted.mutable_data<T>().data();
    for_each_row<2>(walk.shape, walk.strides, [&](const auto& offsets, Index count, const auto& steps) {
      for (Index i = 0; i < count; ++i) {
        to[offsets[0] + i] = std::exp(in[offsets[0] + i] - top[offsets[1] + i * steps[1]]);
      }
    });
    ASSAY_ASSIGN(Tensor sums, (reduce_as<LogSumRule, T>(shifted, kept)));
    T* sum = sums.mutable_data<T>().data();
    for (Index i = 0; i < sums.size(); ++i) {
      sum[i] += top[i];
    }
    return sums;
  });
}

using Reduce = Result<Tensor> (*)(const Tensor& x, const Shape& kept);

struct ReduceSpec {
  std::optional<IndexList> axes;  // of the attribute; none: all, or the input's
  bool keepdims = true;
  bool noop_with_empty_axes = false;
};

Result<Tensor> reduce(const RunContext& context, const ReduceSpec& spec, Reduce function) {
  const Tensor& x = context.input(0);
  IndexList requested = spec.axes.value_or(IndexList());
  if (!context.input(1).empty()) {
    ASSAY_ASSIGN(requested, index_list(context.input(1), "axes"));
  }
  ASSAY_ASSIGN(const IndexList axes, normalize_axes(requested, x.rank()));
  Shape kept = x.shape();
  Shape squeezed;
  const bool all = axes.empty() && !spec.noop_with_empty_axes;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool reduced = all || std::find(axes.begin(), axes.end(), static_cast<Index>(i)) != axes.end();
    kept[i] = reduced ? 1 : kept[i];
    if (!reduced) {
      squeezed.push_back(kept[i]);
    }
  }
  ASSAY_ASSIGN(const Tensor out, function(x, kept));
  return spec.keepdims ? out : out.reshaped(squeezed);
}

OperatorResult prepare_reduce(const PrepareContext& context, Reduce function) {
  ASSAY_TRY(check_arity(context, 1, 2));
  ReduceSpec spec{.axes = std::nullopt,
                  .keepdims = context.node.int_attribute("keepdims", 1) != 0,
                  .noop_with_empty_axes = context.node.int_attribute("noop_with_empty_axes", 0) != 0};
  if (context.node.has_attribute("axes")) {
    spec.axes = context.node.ints_attribute("axes");
  }
  return make_operator([spec, function](const RunContext& run) { return reduce(run, spec, function); }, "float32");
}

}  // namespace

OperatorResult prepare_reduce_l1(const PrepareContext& context) { return prepare_reduce(context, reduce_by<L1Rule>); }
OperatorResult prepare_reduce_l2(const PrepareContext& context) { return prepare_reduce(context, reduce_by<L2Rule>); }
OperatorResult prepare_reduce_log_sum(const PrepareContext& context) {
  return prepare_reduce(context, reduce_by<LogSumRule>);
}
OperatorResult prepare_reduce_log_sum_exp(const PrepareContext& context) {
  return prepare_reduce(context, reduce_log_sum_exp);
}
OperatorResult prepare_reduce_max(const PrepareContext& context) {
  return prepare_reduce(context, reduce_extreme<true>);
}
OperatorResult prepare_reduce_mean(const PrepareContext& context) {
  return prepare_reduce(context, reduce_by<MeanRule>);
}
OperatorResult prepare_reduce_min(const PrepareContext& context) {
  return prepare_reduce(context, reduce_extreme<false>);
}
OperatorResult prepare_reduce_prod(const PrepareContext& context) {
  return prepare_reduce(context, reduce_by<ProdRule>);
}
OperatorResult prepare_reduce_sum(const PrepareContext& context) { return prepare_reduce(context, reduce_by<SumRule>); }
OperatorResult prepare_reduce_sum_square(const PrepareContext& context) {
  return prepare_reduce(context, reduce_by<SumSquareRule>);
}

}  // namespace assay::runtime
