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
        matmul_(context.profile, context.features),
        weights_are_constant_(context.constant(kB) != nullptr) {
    matmul_.choose(known_dtype(context, {kA, kAZeroPoint}).value_or(DType::kUint8) == DType::kInt8,
                   known_dtype(context, {kB, kBZeroPoint}).value_or(DType::kInt8) == DType::kInt8);
  }

  Status prepare(const PrepareContext& context) {
    const Tensor* b = context.constant(kB);
    const auto a_type = known_dtype(context, {kA, kAZeroPoint});
    const bool packable = b != nullptr && is_8bit(b->dtype()) && b->rank() > 0;
    return packable && a_type.has_value() ? matmul_.pack(*b, false, *a_type == DType::kInt8) : Status{};
  }

  Result<std::vector<Tensor>> run(RunContext& context) override {
    const Tensor& a = context.input(kA);
    const Tensor& b = context.input(kB);
    ASSAY_TRY(expect_8bit(a, "a"));
    ASSAY_TRY(expect_8bit(b, "b"));
    ASSAY_ASSIGN(const MatmulShape shape, resolve_matmul_shape(a.shape(), b.shape()));
    ASSAY_ASSIGN(Parameters parameters, read_parameters(context));
    const bool a_signed = a.dtype() == DType::kInt8;
    if (!weights_are_constant_ || !matmul_.packed_for(a_signed)) {
      ASSAY_TRY(matmul_.pack(b, false, a_signed));
    }
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(context.input(kYZeroPoint).dtype(), shape.output));
    const MatmulOperands operands{.a = a.bytes(),
                                  .shape = shape,
                                  .a_zero_points = parameters.a_zero_points,
                                  .b_zero_points = parameters.b_zero_points};
    if (parameters.per_row()) {
      ASSAY_TRY(run_per_row(context, operands, parameters, y.mutable_bytes()));
    } else {
      parameters.requantization.scales =
          product_scales(parameters.a_scales[0], parameters.b_scales, parameters.y_scale);
      ASSAY_TRY(matmul_.requantized(context, operands, parameters.requantization, y.mutable_bytes()));
    }
    return std::vector<Tensor>{std::move(y)};
  }

  KernelInfo kernel() const override { return matmul_.kernel(); }
  bool saturates() const override { return matmul_.saturates(); }

 private:
  Result<Parameters> read_parameters(const RunContext& context) const {
    const Tensor& a = context.input(kA);
    const Tensor& b = context.input(kB);
    const Tensor& y_zero_point = context.input(kYZeroPoint);
    Parameters out;
    ASSAY_ASSIGN(out.a_scales, read_row_scales(context.input(kAScale), a.shape(), "a_scale"));
    ASSAY_ASSIGN(out.a_zero_points,
                 read_row_zero_points(context.input(kAZeroPoint), a.dtype(), a.shape(), "a_zero_point"));
    ASSAY_ASSIGN(out.b_scales, read_column_scales(context.input(kBScale), b.shape(), "b_scale"));
    ASSAY_ASSIGN(out.b_zero_points,
                 read_column_zero_points(context.input(kBZeroPoint), b.dtype(), b.shape(), "b_zero_point"));
    ASSAY_ASSIGN(out.y_scale, read_scale(context.input(kYScale), "y_scale"));
    ASSAY_TRY(expect_8bit(y_zero_point, "y_zero_point"));
    ASSAY_ASSIGN(out.requantization.y_zero_point, read_zero_point(y_zero_point, y_zero_point.dtype(), "y_zero_point"));
    ASSAY_TRY(read_clamp(node_, y_zero_point.dtype(), out.requantization));
    out.requantization.y_signed = y_zero_point.dtype() == DType::kInt8;
    return out;
  }

  Status run_per_row(RunContext& context, const MatmulOperands& operands, const Parameters& parameters, std::byte* y) {
    const MatmulShape& shape = operands.shape;
    ASSAY_ASSIGN(const Index elements, element_count(shape.output));
    ASSAY_TRY(sums_.reserve(elements * Index{sizeof(std::int32_t)}));
    auto* sums = sums_.as<std::int32_t>();
    ASSAY_TRY(matmul_.sums(context, operands, sums));
    std::span<const float> a_scales = parameters.a_scales;
    const std::span<const float> b_scales = parameters.b_scales;
    for (std::size_t i = 0; i < shape.products.size(); ++i) {
      const auto [a, b] = shape.products[i];
      const Index first = static_cast<Index>(i) * shape.m * shape.n;
      requantize_rows(
          {.sums = sums + first,
           .rows = shape.m,
           .n = shape.n,
           .a_scales = a_scales.size() == 1
                           ? a_scales
                           : a_scales.subspan(static_cast<std::size_t>(a * shape.m), static_cast<std::size_t>(shape.m)),
           .b_scales = b_scales.subspan(static_cast<std::size_t>(b * shape.n), static_cast<std::size_t>(shape.n)),
           .y_scale = parameters.y_scale,
           .requantization = parameters.requantization,
           .y = y + first});
    }
    return {};
  }

  Node node_;
  QuantizedMatmul matmul_;
  bool weights_are_constant_;
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
