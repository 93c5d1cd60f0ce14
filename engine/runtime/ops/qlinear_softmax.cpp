// SPDX-License-Identifier: Apache-2.0
// com.microsoft.QLinearSoftmax: softmax of x * x_scale in double (the zero point cancels), quantized as QuantizeLinear.
// The attribute opset says what `axis` means: below 13 the dimensions from `axis` on are one, from 13 on it is one
// axis.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/kernels/linear/linear.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kX, kXScale, kXZeroPoint, kYScale, kYZeroPoint };

constexpr Index kFirstSingleAxisOpset = 13;
constexpr std::size_t kDifferences = 256;  // of two 8-bit values, 0 upwards

struct SoftmaxOptions {
  Index axis = -1;
  bool single_axis = true;
};

// Elements `step` apart from `first` on.
struct Line {
  Index first = 0;
  Index count = 0;
  Index step = 1;
};

// softmax(x)[i] = exp(-(max - x[i]) * scale) / their sum
template <typename T>
void softmax_line(const T* x, const Line& line, const std::array<double, kDifferences>& exponentials,
                  std::vector<float>& out) {
  T largest = x[line.first];
  for (Index i = 1; i < line.count; ++i) {
    largest = std::max(largest, x[line.first + i * line.step]);
  }
  const auto exponential = [&](Index i) {
    return exponentials[static_cast<std::size_t>(largest - x[line.first + i * line.step])];
  };
  double sum = 0;
  for (Index i = 0; i < line.count; ++i) {
    sum += exponential(i);
  }
  for (Index i = 0; i < line.count; ++i) {
    out[static_cast<std::size_t>(line.first + i * line.step)] = static_cast<float>(exponential(i) / sum);
  }
}

Result<Tensor> softmax(const RunContext& context, const SoftmaxOptions& options, const kernels::LinearKernel& kernel) {
  const Tensor& x = context.input(kX);
  ASSAY_TRY(expect_8bit(x, "X"));
  ASSAY_ASSIGN(const float x_scale, read_scale(context.input(kXScale), "X_scale"));
  ASSAY_TRY(read_zero_point(context.input(kXZeroPoint), x.dtype(), "x_zero_point"));
  ASSAY_ASSIGN(const float y_scale, read_scale(context.input(kYScale), "y_scale"));
  ASSAY_ASSIGN(const std::int32_t y_zero_point, read_zero_point(context.input(kYZeroPoint), x.dtype(), "y_zero_point"));
  ASSAY_ASSIGN(const Index normal, normalize_axis(options.axis, x.rank(), "axis"));
  AxisSplit split = split_at(x.shape(), static_cast<std::size_t>(normal));
  if (!options.single_axis) {
    split = {.outer = split.outer, .length = split.length * split.inner, .inner = 1};
  }
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
  std::array<double, kDifferences> exponentials;
  for (std::size_t i = 0; i < kDifferences; ++i) {
    exponentials[i] = std::exp(-static_cast<double>(i) * static_cast<double>(x_scale));
  }
  std::vector<float> values(static_cast<std::size_t>(x.size()));
  const Index lines = split.length == 0 ? 0 : split.outer * split.inner;
  for (Index i = 0; i < lines; ++i) {
    const Line line{.first = i / split.inner * split.length * split.inner + i % split.inner,
                    .count = split.length,
                    .step = split.inner};
    if (x.dtype() == DType::kInt8) {
      softmax_line(x.data<std::int8_t>().data(), line, exponentials, values);
    } else {
      softmax_line(x.data<std::uint8_t>().data(), line, exponentials, values);
    }
  }
  kernel.quantize({.x = values.data(),
                   .count = x.size(),
                   .scale = y_scale,
                   .zero_point = y_zero_point,
                   .y_type = kernels::linear_type(x.dtype()),
                   .y = y.mutable_bytes()});
  return y;
}

}  // namespace

OperatorResult prepare_qlinear_softmax(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 5));
  const Index opset = context.node.int_attribute("opset", context.graph.opset());
  const SoftmaxOptions options{.axis = context.node.int_attribute("axis", -1),
                               .single_axis = opset >= kFirstSingleAxisOpset};
  const kernels::LinearChoice choice = kernels::choose_linear(context.profile, context.features);
  return make_operator([options, choice](const RunContext& run) { return softmax(run, options, *choice.kernel); },
                       kernel_info(choice, context.profile, "float32"));
}

}  // namespace assay::runtime
