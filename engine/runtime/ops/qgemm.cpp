// SPDX-License-Identifier: Apache-2.0
// com.microsoft.QGemm, and ai.assay's with a clamp. v = A * B + C in wrapping int32, transposed as asked for; then
//   with y_scale:     requantized by f32(f32(f32(alpha * a_scale) * b_scale) / y_scale)
//   without y_scale:  float32, f32(f32(v) * f32(f32(alpha * a_scale) * b_scale))
// C is added as it is: alpha is not applied to it.
#include "engine/base/rounding.h"
#include "engine/kernels/transpose/transpose_bytes.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/quantized_matmul.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kA, kAScale, kAZeroPoint, kB, kBScale, kBZeroPoint, kC, kYScale, kYZeroPoint };

struct Parameters {
  float a_scale = 1;  // alpha * a_scale
  std::int32_t a_zero_point = 0;
  std::vector<float> b_scales;
  std::vector<std::int32_t> b_zero_points;
  std::vector<std::int32_t> bias;  // [N] or empty
  bool float_output = false;
  float y_scale = 1;
  Requantization requantization;
};

// [N], [1, N] or one value: the same for every row.
bool is_row(const Tensor& c, Index n) {
  return c.size() == 1 || (c.size() == n && c.rank() > 0 && c.shape().back() == n);
}

class QGemm final : public Operator {
 public:
  explicit QGemm(const PrepareContext& context)
      : node_(context.node),
        transpose_a_(context.node.int_attribute("transA", 0) != 0),
        transpose_b_(context.node.int_attribute("transB", 0) != 0),
        alpha_(context.node.float_attribute("alpha", 1)),
        transpose_(kernels::choose_transpose(context.profile, context.features)),
        matmul_(context, {.a = kA, .a_zero_point = kAZeroPoint, .b = kB, .b_zero_point = kBZeroPoint}, transpose_b_) {}

  Status prepare(const PrepareContext& context) { return matmul_.prepare(context); }

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& a = context.input(kA);
    const Tensor& b = context.input(kB);
    ASSAY_TRY(expect_8bit(a, "A"));
    ASSAY_TRY(expect_8bit(b, "B"));
    if (a.rank() != 2 || b.rank() != 2) {
      return invalid_argument("A and B are matrices; found A " + shape_text(a.shape()) + ", B " +
                              shape_text(b.shape()));
    }
    ASSAY_ASSIGN(const bool changed, matmul_.bind(context, transpose_a_ ? Shape{a.dim(1), a.dim(0)} : a.shape()));
    if (changed) {
      ASSAY_TRY(set_parameters(context));
    }
    const DType y_type = parameters_.float_output ? DType::kFloat32 : context.input(kYZeroPoint).dtype();
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(y_type, matmul_.shape().output));
    ASSAY_ASSIGN(const std::byte* rows, rows_of(a));
    if (in_steps(context)) {
      ASSAY_TRY(run_in_steps(context, rows, y));
    } else {
      ASSAY_TRY(matmul_.requantized(context, rows, y.mutable_bytes()));
    }
    outputs.push_back(std::move(y));
    return {};
  }

  KernelInfo kernel() const override { return matmul_.kernel(); }
  bool saturates() const override { return matmul_.saturates(); }

 private:
  Status set_parameters(const RunContext& context) {
    ASSAY_TRY(read_parameters(context, matmul_.shape(), parameters_));
    matmul_.set_parameters({.a_zero_points = {&parameters_.a_zero_point, 1},
                            .b_zero_points = parameters_.b_zero_points,
                            .bias = parameters_.bias});
    if (!in_steps(context)) {
      set_product_scales(parameters_.a_scale, parameters_.b_scales, parameters_.y_scale,
                         parameters_.requantization.scales);
      matmul_.set_requantization(parameters_.requantization);
    }
    return {};
  }

  // Float output, or a C that differs from row to row.
  bool in_steps(const RunContext& context) const {
    return parameters_.float_output || (!context.input(kC).empty() && parameters_.bias.empty());
  }

  Status read_parameters(const RunContext& context, const MatmulShape& shape, Parameters& out) const {
    const DType b_type = context.input(kB).dtype();
    ASSAY_ASSIGN(const float a_scale, read_scale(context.input(kAScale), "a_scale"));
    out.a_scale = alpha_ * a_scale;
    ASSAY_ASSIGN(out.a_zero_point,
                 read_zero_point(context.input(kAZeroPoint), context.input(kA).dtype(), "a_zero_point"));
    ASSAY_TRY(read_scales(context.input(kBScale), shape.n, "b_scale", out.b_scales));
    ASSAY_TRY(read_zero_points(context.input(kBZeroPoint), b_type, shape.n, "b_zero_point", out.b_zero_points));
    out.bias.clear();
    if (const Tensor& c = context.input(kC); !c.empty()) {
      ASSAY_TRY(expect_dtype(c, DType::kInt32, "C"));
      const auto broadcast = broadcast_shape(c.shape(), shape.output);
      if (!broadcast.ok() || broadcast.value() != shape.output) {
        return invalid_argument("C broadcasts to " + shape_text(shape.output) + "; found " + shape_text(c.shape()));
      }
      if (is_row(c, shape.n)) {
        read_int32s(c, out.bias);
        out.bias.resize(static_cast<std::size_t>(shape.n), out.bias.empty() ? 0 : out.bias.front());
      }
    }
    out.float_output = context.input(kYScale).empty();
    if (out.float_output) {
      return {};
    }
    ASSAY_ASSIGN(out.y_scale, read_scale(context.input(kYScale), "y_scale"));
    const Tensor& y_zero_point = context.input(kYZeroPoint);
    ASSAY_TRY(expect_8bit(y_zero_point, "y_zero_point"));
    ASSAY_ASSIGN(out.requantization.y_zero_point, read_zero_point(y_zero_point, y_zero_point.dtype(), "y_zero_point"));
    ASSAY_TRY(read_clamp(node_, y_zero_point.dtype(), out.requantization));
    out.requantization.y_signed = y_zero_point.dtype() == DType::kInt8;
    return {};
  }

  // A as [M, K].
  Result<const std::byte*> rows_of(const Tensor& a) {
    if (!transpose_a_) {
      return a.bytes();
    }
    ASSAY_TRY(transposed_a_.reserve(a.size()));
    transpose_.run({.from = reinterpret_cast<const std::uint8_t*>(a.bytes()),
                    .rows = a.dim(0),
                    .columns = a.dim(1),
                    .from_stride = a.dim(1),
                    .to = transposed_a_.as<std::uint8_t>(),
                    .to_stride = a.dim(0)});
    return static_cast<const std::byte*>(transposed_a_.as<std::byte>());
  }

  // The int32 sums first, then what becomes of them.
  Status run_in_steps(RunContext& context, const std::byte* rows, Tensor& y) {
    const MatmulShape& shape = matmul_.shape();
    ASSAY_TRY(sums_.reserve(y.size() * Index{sizeof(std::int32_t)}));
    auto* sums = sums_.as<std::int32_t>();
    ASSAY_TRY(matmul_.sums(context, rows, sums));
    if (const Tensor& c = context.input(kC); !c.empty() && parameters_.bias.empty() && y.size() > 0) {
      add_bias(c, shape, sums);
    }
    if (!parameters_.float_output) {
      requantize_rows({.kernel = matmul_.requantize_kernel(),
                       .sums = sums,
                       .rows = shape.m,
                       .n = shape.n,
                       .a_scales = {&parameters_.a_scale, 1},
                       .b_scales = parameters_.b_scales,
                       .y_scale = parameters_.y_scale,
                       .requantization = parameters_.requantization,
                       .y = y.mutable_bytes()});
      return {};
    }
    float* out = y.mutable_data<float>().data();
    for (Index i = 0; i < shape.m; ++i) {
      for (Index j = 0; j < shape.n; ++j) {
        const float scale = parameters_.a_scale * parameters_.b_scales[static_cast<std::size_t>(j)];
        *out++ = static_cast<float>(*sums++) * scale;
      }
    }
    return {};
  }

  // C is [M, N] or [M, 1].
  static void add_bias(const Tensor& c, const MatmulShape& shape, std::int32_t* sums) {
    const auto values = c.data<std::int32_t>();
    const Index columns = c.shape().back();
    for (Index i = 0; i < shape.m; ++i) {
      for (Index j = 0; j < shape.n; ++j) {
        const Index from = i * columns + (columns == 1 ? 0 : j);
        std::int32_t& sum = sums[i * shape.n + j];
        sum = wrapping_add(sum, values[static_cast<std::size_t>(from)]);
      }
    }
  }

  Node node_;
  bool transpose_a_;
  bool transpose_b_;
  float alpha_;
  const kernels::TransposeKernel& transpose_;
  QuantizedMatmul matmul_;
  Parameters parameters_;  // set where the operands change
  ScratchBuffer transposed_a_;
  ScratchBuffer sums_;
};

}  // namespace

OperatorResult prepare_qgemm(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 6, 9));
  auto prepared = std::make_unique<QGemm>(context);
  ASSAY_TRY(prepared->prepare(context));
  return OperatorResult(std::move(prepared));
}

}  // namespace assay::runtime
