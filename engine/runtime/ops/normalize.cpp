// SPDX-License-Identifier: Apache-2.0
// InstanceNormalization, GroupNormalization, MeanVarianceNormalization and LpNormalization on float32 and float64. Sums
// are accumulated in double.
#include <algorithm>
#include <cmath>

#include "engine/runtime/ops/layer_operators.h"
#include "engine/runtime/ops/strided.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
};

template <typename T>
Moments moments_of(const T* x, Index count) {
  double sum = 0;
  for (Index i = 0; i < count; ++i) {
    sum += static_cast<double>(x[i]);
  }
  Moments out;
  out.mean = sum / static_cast<double>(count);
  double squares = 0;
  for (Index i = 0; i < count; ++i) {
    const double d = static_cast<double>(x[i]) - out.mean;
    squares += d * d;
  }
  out.variance = squares / static_cast<double>(count);
  return out;
}

// y = (x - mean) / sqrt(variance + epsilon) * scale + shift over one group of elements.
template <typename T>
void apply_affine(const T* x, Index count, double factor, double offset, T* y) {
  for (Index i = 0; i < count; ++i) {
    y[i] = static_cast<T>(static_cast<double>(x[i]) * factor + offset);
  }
}

template <typename T>
Result<Tensor> instance_normalization(const RunContext& context, double epsilon) {
  const Tensor& x = context.input(0);
  if (x.rank() < 2 || context.input(1).size() != x.dim(1) || context.input(2).size() != x.dim(1)) {
    return invalid_argument("input must be [N, C, ...] and scale and B have C elements; found " +
                            shape_text(x.shape()) + ", " + shape_text(context.input(1).shape()) + " and " +
                            shape_text(context.input(2).shape()));
  }
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
  const std::vector<double> scale = context.input(1).to_doubles();
  const std::vector<double> shift = context.input(2).to_doubles();
  const Index count = dims_product(x.shape(), 2, x.rank());
  for (Index plane = 0; plane < x.dim(0) * x.dim(1) && count > 0; ++plane) {
    const auto c = static_cast<std::size_t>(plane % x.dim(1));
    const T* in = x.data<T>().data() + plane * count;
    const Moments moments = moments_of(in, count);
    const double factor = scale[c] / std::sqrt(moments.variance + epsilon);
    apply_affine(in, count, factor, shift[c] - moments.mean * factor, y.mutable_data<T>().data() + plane * count);
  }
  return y;
}

template <typename T>
Result<Tensor> group_normalization(const RunContext& context, Index groups, double epsilon) {
  const Tensor& x = context.input(0);
  const std::vector<double> scale = context.input(1).to_doubles();
  const std::vector<double> shift = context.input(2).to_doubles();
  if (x.rank() < 2 || x.dim(1) % groups != 0 || scale.size() != shift.size() ||
      (static_cast<Index>(scale.size()) != x.dim(1) && static_cast<Index>(scale.size()) != groups)) {
    return invalid_argument("X must be [N, C, ...] with C a multiple of num_groups " + std::to_string(groups) +
                            ", scale and bias of C or num_groups elements; found " + shape_text(x.shape()) + ", " +
                            shape_text(context.input(1).shape()) + " and " + shape_text(context.input(2).shape()));
  }
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
  const Index channels = x.dim(1);
  const Index per_group = channels / groups;
  const Index plane = dims_product(x.shape(), 2, x.rank());
  const bool by_channel = static_cast<Index>(scale.size()) == channels;
  for (Index group = 0; group < x.dim(0) * groups && plane > 0; ++group) {
    const T* in = x.data<T>().data() + group * per_group * plane;
    const Moments moments = moments_of(in, per_group * plane);
    for (Index i = 0; i < per_group; ++i) {
      const Index channel = group % groups * per_group + i;
      const auto at = static_cast<std::size_t>(by_channel ? channel : group % groups);
      const double factor = scale[at] / std::sqrt(moments.variance + epsilon);
      apply_affine(in + i * plane, plane, factor, shift[at] - moments.mean * factor,
                   y.mutable_data<T>().data() + (group * per_group + i) * plane);
    }
  }
  return y;
}

// (x - mean) / sqrt(variance) over the axes; 1e-9 keeps a constant from dividing by 0.
template <typename T>
Result<Tensor> mean_variance_normalization(const Tensor& x, const IndexList& requested) {
  ASSAY_ASSIGN(const IndexList axes, normalize_axes(requested, x.rank()));
  Shape kept = x.shape();
  Index count = 1;
  for (const Index axis : axes) {
    count *= kept[static_cast<std::size_t>(axis)];
    kept[static_cast<std::size_t>(axis)] = 1;
  }
  Shape walked = x.shape();
  std::array<Strides, 2> strides = {contiguous_strides(x.shape()), broadcast_strides(kept, x.shape())};
  merge_dimensions(walked, strides);
  const auto groups = static_cast<std::size_t>(count == 0 ? 0 : x.size() / count);
  std::vector<double> mean(groups);
  std::vector<double> variance(groups);
  const T* in = x.data<T>().data();
  const auto each = [&](const auto& body) {
    for_each_row<2>(walked, strides, [&](const auto& offsets, Index length, const auto& steps) {
      for (Index i = 0; i < length; ++i) {
        body(offsets[0] + i, static_cast<std::size_t>(offsets[1] + i * steps[1]));
      }
    });
  };
  each([&](Index at, std::size_t group) { mean[group] += static_cast<double>(in[at]); });
  std::for_each(mean.begin(), mean.end(), [&](double& value) { value /= static_cast<double>(count); });
  each([&](Index at, std::size_t group) {
    const double d = static_cast<double>(in[at]) - mean[group];
    variance[group] += d * d / static_cast<double>(count);
  });
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
  T* out = y.mutable_data<T>().data();
  constexpr double kTiny = 1e-9;
  each([&](Index at, std::size_t group) {
    out[at] = static_cast<T>((static_cast<double>(in[at]) - mean[group]) / (std::sqrt(variance[group]) + kTiny));
  });
  return y;
}

// x / norm along an axis; 0 where the norm is 0.
template <typename T>
Result<Tensor> lp_normalization(const Tensor& x, Index requested_axis, Index p) {
  ASSAY_ASSIGN(const Index axis, normalize_axis(requested_axis, x.rank(), "axis"));
  const AxisSplit split = split_at(x.shape(), static_cast<std::size_t>(axis));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
  const T* in = x.data<T>().data();
  T* out = y.mutable_data<T>().data();
  for (Index row = 0; row < split.outer * split.inner; ++row) {
    const Index start = row / split.inner * split.length * split.inner + row % split.inner;
    double sum = 0;
    for (Index i = 0; i < split.length; ++i) {
      const auto value = static_cast<double>(in[start + i * split.inner]);
      sum += p == 1 ? std::abs(value) : value * value;
    }
    const double norm = p == 1 ? sum : std::sqrt(sum);
    for (Index i = 0; i < split.length; ++i) {
      const Index at = start + i * split.inner;
      out[at] = norm == 0 ? T{0} : static_cast<T>(static_cast<double>(in[at]) / norm);
    }
  }
  return y;
}

template <typename F>
OperatorResult prepare_floats(F f) {
  return make_operator(
      [f](const RunContext& run) {
        return with_type(FloatTypes(), run.input(0).dtype(), "X",
                         [&]<typename T>() -> Result<Tensor> { return f.template operator()<T>(run); });
      },
      "float32");
}

}  // namespace

OperatorResult prepare_instance_normalization(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 3, 3));
  const auto epsilon = static_cast<double>(context.node.float_attribute("epsilon", 1e-5F));
  return prepare_floats(
      [epsilon]<typename T>(const RunContext& run) { return instance_normalization<T>(run, epsilon); });
}
OperatorResult prepare_group_normalization(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 3, 3));
  const auto epsilon = static_cast<double>(context.node.float_attribute("epsilon", 1e-5F));
  const Index groups = context.node.int_attribute("num_groups", 0);
  if (groups < 1) {
    return invalid_model("num_groups must be positive; found " + std::to_string(groups));
  }
  return prepare_floats(
      [=]<typename T>(const RunContext& run) { return group_normalization<T>(run, groups, epsilon); });
}
OperatorResult prepare_mean_variance_normalization(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const IndexList axes = context.node.has_attribute("axes") ? context.node.ints_attribute("axes") : IndexList{0, 2, 3};
  return prepare_floats(
      [axes]<typename T>(const RunContext& run) { return mean_variance_normalization<T>(run.input(0), axes); });
}
OperatorResult prepare_lp_normalization(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const Index axis = context.node.int_attribute("axis", -1);
  const Index p = context.node.int_attribute("p", 2);
  if (p != 1 && p != 2) {
    return invalid_model("p must be 1 or 2; found " + std::to_string(p));
  }
  return prepare_floats([=]<typename T>(const RunContext& run) { return lp_normalization<T>(run.input(0), axis, p); });
}

}  // namespace assay::runtime
