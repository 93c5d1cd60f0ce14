// SPDX-License-Identifier: Apache-2.0
// LayerNormalization and RMSNormalization over the dimensions from `axis` on, and SkipLayerNormalization, which first
// adds a skipped input and a bias. y = (x - mean) / sqrt(variance + epsilon) * scale + shift; RMSNormalization takes no
// mean away. float32, sums in double; float64 for the first two.
#include <algorithm>
#include <cmath>

#include "engine/runtime/ops/contributed_operators.h"
#include "engine/runtime/ops/layer_operators.h"
#include "engine/runtime/ops/strided.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

struct NormSpec {
  Index axis = -1;
  double epsilon = 1e-5;
  bool centers = true;
};

// What one row gave besides its output.
struct RowStatistics {
  double mean = 0;
  double inverse = 0;  // 1 / standard deviation
};

template <typename T>
RowStatistics statistics_of(const T* x, Index count, const NormSpec& spec) {
  constexpr Index kLanes = 8;  // independent sums, so that additions overlap
  RowStatistics out;
  double sums[kLanes] = {};
  Index i = 0;
  if (spec.centers) {
    for (; i + kLanes <= count; i += kLanes) {
      for (Index lane = 0; lane < kLanes; ++lane) {
        sums[lane] += static_cast<double>(x[i + lane]);
      }
    }
    for (; i < count; ++i) {
      sums[0] += static_cast<double>(x[i]);
    }
    for (const double sum : sums) {
      out.mean += sum;
    }
    out.mean /= static_cast<double>(count);
  }
  double squares[kLanes] = {};
  for (i = 0; i + kLanes <= count; i += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane) {
      const double d = static_cast<double>(x[i + lane]) - out.mean;
      squares[lane] += d * d;
    }
  }
  for (; i < count; ++i) {
    const double d = static_cast<double>(x[i]) - out.mean;
    squares[0] += d * d;
  }
  double square = 0;
  for (const double part : squares) {
    square += part;
  }
  out.inverse = 1 / std::sqrt(square / static_cast<double>(count) + spec.epsilon);
  return out;
}

// An operand broadcast to one row of `count` elements: as it is, or repeated.
template <typename T>
Result<BlockVector<T>> row_operand(const Tensor& tensor, const Shape& row, const char* name) {
  ASSAY_TRY(check_type(tensor, name, {DTypeOf<T>::value}));
  ASSAY_ASSIGN(const Shape shape, broadcast_shape(tensor.shape(), row));
  if (shape != row) {
    return unsupported(std::string(name) + " must broadcast to the normalised dimensions " + shape_text(row) +
                       "; found " + shape_text(tensor.shape()));
  }
  BlockVector<T> out;
  out.reserve(static_cast<std::size_t>(dims_product(row, 0, row.size())));
  const std::array<Strides, 1> strides = {broadcast_strides(tensor.shape(), row)};
  for_each_row<1>(row, strides, [&](const auto& offsets, Index count, const auto& steps) {
    for (Index i = 0; i < count; ++i) {
      out.push_back(tensor.data<T>()[static_cast<std::size_t>(offsets[0] + i * steps[0])]);
    }
  });
  return out;
}

struct NormResult {
  Tensor y;
  Tensor mean;
  Tensor inverse;
};

template <typename T>
Result<NormResult> normalize(const Tensor& x, const Tensor& scale, const Tensor& shift, const NormSpec& spec) {
  ASSAY_ASSIGN(const Index axis, normalize_axis(spec.axis, x.rank(), "axis"));
  const Shape row(x.shape().begin() + axis, x.shape().end());
  Shape kept = x.shape();
  std::fill(kept.begin() + axis, kept.end(), 1);
  ASSAY_ASSIGN(const BlockVector<T> factors, row_operand<T>(scale, row, "scale"));
  BlockVector<T> offsets(factors.size(), T{0});
  if (!shift.empty()) {
    ASSAY_ASSIGN(offsets, row_operand<T>(shift, row, "bias"));
  }
  NormResult out;
  ASSAY_ASSIGN(out.y, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
  ASSAY_ASSIGN(out.mean, Tensor::allocate_uninitialized(x.dtype(), kept));
  ASSAY_ASSIGN(out.inverse, Tensor::allocate_uninitialized(x.dtype(), kept));
  const auto count = static_cast<Index>(factors.size());
  for (Index i = 0; i < out.mean.size() && count > 0; ++i) {
    const T* in = x.data<T>().data() + i * count;
    T* to = out.y.template mutable_data<T>().data() + i * count;
    const RowStatistics statistics = statistics_of(in, count, spec);
    out.mean.template mutable_data<T>()[static_cast<std::size_t>(i)] = static_cast<T>(statistics.mean);
    out.inverse.template mutable_data<T>()[static_cast<std::size_t>(i)] = static_cast<T>(statistics.inverse);
    const auto mean = static_cast<T>(statistics.mean);
    const auto inverse = static_cast<T>(statistics.inverse);
    for (Index j = 0; j < count; ++j) {
      to[j] = (in[j] - mean) * inverse * factors[static_cast<std::size_t>(j)] + offsets[static_cast<std::size_t>(j)];
    }
  }
  return out;
}

class LayerNormalization final : public Operator {
 public:
  explicit LayerNormalization(NormSpec spec) : spec_(spec) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(0);
    const Tensor& scale = context.input(1);
    const Tensor& shift = context.input(2);
    if (scale.dtype() != x.dtype() || (!shift.empty() && shift.dtype() != x.dtype())) {
      return unsupported("scale and bias must have X's type " + std::string(dtype_name(x.dtype())) + "; found " +
                         std::string(dtype_name(scale.dtype())));
    }
    ASSAY_ASSIGN(NormResult result, with_type(FloatTypes(), x.dtype(), "X",
                                              [&]<typename T>() { return normalize<T>(x, scale, shift, spec_); }));
    outputs.push_back(std::move(result.y));
    outputs.push_back(std::move(result.mean));
    outputs.push_back(std::move(result.inverse));
    return {};
  }
  KernelInfo kernel() const override { return plain_kernel("float32"); }

 private:
  NormSpec spec_;
};

class SkipLayerNormalization final : public Operator {
 public:
  explicit SkipLayerNormalization(double epsilon) : spec_{.axis = -1, .epsilon = epsilon, .centers = true} {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(0);
    ASSAY_TRY(check_type(x, "input", {DType::kFloat32}));
    ASSAY_ASSIGN(Tensor sum, Tensor::allocate_uninitialized(DType::kFloat32, x.shape()));
    std::array<Strides, 4> strides = {contiguous_strides(x.shape()), {}, {}, {}};
    const Tensor zero = Tensor::scalar(0.0F);
    const Tensor& skip = context.input(1);
    const Tensor& bias = context.input(4).empty() ? zero : context.input(4);
    for (const Tensor* operand : {&skip, &bias}) {
      ASSAY_TRY(check_type(*operand, "skip and bias", {DType::kFloat32}));
      ASSAY_ASSIGN(const Shape shape, broadcast_shape(operand->shape(), x.shape()));
      if (shape != x.shape()) {
        return invalid_argument("skip and bias must broadcast to input " + shape_text(x.shape()) + "; found " +
                                shape_text(operand->shape()));
      }
    }
    strides[1] = broadcast_strides(skip.shape(), x.shape());
    strides[2] = broadcast_strides(bias.shape(), x.shape());
    strides[3] = strides[0];
    for_each_row<4>(x.shape(), strides, [&](const auto& offsets, Index count, const auto& steps) {
      const float* in = x.data<float>().data() + offsets[0];
      const float* other = skip.data<float>().data() + offsets[1];
      const float* shift = bias.data<float>().data() + offsets[2];
      float* to = sum.mutable_data<float>().data() + offsets[3];
      for (Index i = 0; i < count; ++i) {
        to[i] = in[i] + other[i * steps[1]] + shift[i * steps[2]];
      }
    });
    ASSAY_ASSIGN(NormResult result, normalize<float>(sum, context.input(2), context.input(3), spec_));
    outputs.push_back(std::move(result.y));
    outputs.push_back(std::move(result.mean));
    outputs.push_back(std::move(result.inverse));
    outputs.push_back(std::move(sum));
    return {};
  }
  KernelInfo kernel() const override { return plain_kernel("float32"); }

 private:
  NormSpec spec_;
};

NormSpec read_spec(const Node& node, bool centers) {
  return {.axis = node.int_attribute("axis", -1),
          .epsilon = static_cast<double>(node.float_attribute("epsilon", 1e-5F)),
          .centers = centers};
}

}  // namespace

OperatorResult prepare_layer_normalization(const PrepareContext& context) {
  return OperatorResult(std::make_unique<LayerNormalization>(read_spec(context.node, true)));
}
OperatorResult prepare_rms_normalization(const PrepareContext& context) {
  return OperatorResult(std::make_unique<LayerNormalization>(read_spec(context.node, false)));
}
OperatorResult prepare_skip_layer_normalization(const PrepareContext& context) {
  return OperatorResult(
      std::make_unique<SkipLayerNormalization>(static_cast<double>(context.node.float_attribute("epsilon", 1e-12F))));
}

}  // namespace assay::runtime
