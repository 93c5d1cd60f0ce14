// SPDX-License-Identifier: Apache-2.0
// QLinearMatMul, plain and ai.assay's with a clamp.
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/quantized_matmul.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kA, kAScale, kAZeroPoint, kB, kBScale, kBZeroPoint, kYScale, kYZeroPoint };

struct Parameters {
  std::vector<float> a_scales;              // [1] or one per row
  std::vector<std::int32_t> a_zero_points;  // likewise
  std::vector<float> b_scales;              // one per column of every matrix
  std::vector<std::int32_t> b_zero_points;  // likewise
  float y_scale = 1;
  Requantization requantization;

  bool per_row() const { return a_scales.size() > 1 || a_zero_points.size() > 1; }
};

class QLinearMatMul final : public Operator {
 public:
  explicit QLinearMatMul(const PrepareContext& context)
      : node_(context.node),
        matmul_(context, {.a = kA, .a_zero_point = kAZeroPoint, .b = kB, .b_zero_point = kBZeroPoint}) {}

  Status prepare(const PrepareContext& context) { return matmul_.prepare(context); }

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& a = context.input(kA);
    ASSAY_TRY(expect_8bit(a, "a"));
    ASSAY_TRY(expect_8bit(context.input(kB), "b"));
    ASSAY_ASSIGN(const bool changed, matmul_.bind(context, a.shape()));
    if (changed) {
      ASSAY_TRY(set_parameters(context));
    }
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(context.input(kYZeroPoint).dtype(), matmul_.shape().output));
    if (parameters_.per_row()) {
      ASSAY_TRY(run_per_row(context, a.bytes(), y.mutable_bytes()));
    } else {
      ASSAY_TRY(matmul_.requantized(context, a.bytes(), y.mutable_bytes()));
    }
    outputs.push_back(std::move(y));
    return {};
  }

  KernelInfo kernel() const override { return matmul_.kernel(); }
  bool saturates() const override { return matmul_.saturates(); }

 private:
  Status set_parameters(const RunContext& context) {
    ASSAY_TRY(read_parameters(context, parameters_));
    matmul_.set_parameters({.a_zero_points = parameters_.a_zero_points, .b_zero_points = parameters_.b_zero_points});
    if (!parameters_.per_row()) {
      set_product_scales(parameters_.a_scales[0], parameters_.b_scales, parameters_.y_scale,
                         parameters_.requantization.scales);
      matmul_.set_requantization(parameters_.requantization);
    }
    return {};
  }

  Status read_parameters(const RunContext& context, Parameters& out) const {
    const Tensor& a = context.input(kA);
    const Tensor& b = context.input(kB);
    const Tensor& y_zero_point = context.input(kYZeroPoint);
    ASSAY_TRY(read_row_scales(context.input(kAScale), a.shape(), "a_scale", out.a_scales));
    ASSAY_TRY(
        read_row_zero_points(context.input(kAZeroPoint), a.dtype(), a.shape(), "a_zero_point", out.a_zero_points));
    ASSAY_TRY(read_column_scales(context.input(kBScale), b.shape(), "b_scale", out.b_scales));
    ASSAY_TRY(
        read_column_zero_points(context.input(kBZeroPoint), b.dtype(), b.shape(), "b_zero_point", out.b_zero_points));
    ASSAY_ASSIGN(out.y_scale, read_scale(context.input(kYScale), "y_scale"));
    ASSAY_TRY(expect_8bit(y_zero_point, "y_zero_point"));
    ASSAY_ASSIGN(out.requantization.y_zero_point, read_zero_point(y_zero_point, y_zero_point.dtype(), "y_zero_point"));
    ASSAY_TRY(read_clamp(node_, y_zero_point.dtype(), out.requantization));
    out.requantization.y_signed = y_zero_point.dtype() == DType::kInt8;
    return {};
  }

  Status run_per_row(RunContext& context, const std::byte* a_rows, std::byte* y) {
    const MatmulShape& shape = matmul_.shape();
    ASSAY_ASSIGN(const Index elements, element_count(shape.output));
    ASSAY_TRY(sums_.reserve(elements * Index{sizeof(std::int32_t)}));
    auto* sums = sums_.as<std::int32_t>();
    ASSAY_TRY(matmul_.sums(context, a_rows, sums));
    std::span<const float> a_scales = parameters_.a_scales;
    const std::span<const float> b_scales = parameters_.b_scales;
    for (std::size_t i = 0; i < shape.products.size(); ++i) {
      const auto [a, b] = shape.products[i];
      const Index first = static_cast<Index>(i) * shape.m * shape.n;
      requantize_rows(
          {.kernel = matmul_.requantize_kernel(),
           .sums = sums + first,
           .rows = shape.m,
           .n = shape.n,
           .a_scales = a_scales.size() == 1
                           ? a_scales
                           : a_scales.subspan(static_cast<std::size_t>(a * shape.m), static_cast<std::size_t>(shape.m)),
           .b_scales = b_scales.subspan(static_cast<std::size_t>(b * shape.n), static_cast<std::size_t>(shape.n)),
           .y_scale = parameters_.y_scale,
           .requantization = parameters_.requantization,
           .y = y + first});
    }
    return {};
  }

  Node node_;
  QuantizedMatmul matmul_;
  Parameters parameters_;  // set where the operands change
  ScratchBuffer sums_;
};

}  // namespace

OperatorResult prepare_qlinear_matmul(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 8, 8));
  auto prepared = std::make_unique<QLinearMatMul>(context);
  ASSAY_TRY(prepared->prepare(context));
  return OperatorResult(std::move(prepared));
}

}  // namespace assay::runtime
