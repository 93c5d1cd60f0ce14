// SPDX-License-Identifier: Apache-2.0
// MatMulInteger: y = sum (a - a_zero_point) * (b - b_zero_point) in wrapping int32.
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/quantized_matmul.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kA, kB, kAZeroPoint, kBZeroPoint };

class MatMulInteger final : public Operator {
 public:
  explicit MatMulInteger(const PrepareContext& context)
      : matmul_(context.profile, context.features), weights_are_constant_(context.constant(kB) != nullptr) {
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
    ASSAY_TRY(expect_8bit(a, "A"));
    ASSAY_TRY(expect_8bit(b, "B"));
    ASSAY_ASSIGN(const MatmulShape shape, resolve_matmul_shape(a.shape(), b.shape()));
    ASSAY_ASSIGN(const std::vector<std::int32_t> a_zero_points,
                 read_row_zero_points(context.input(kAZeroPoint), a.dtype(), a.shape(), "a_zero_point"));
    ASSAY_ASSIGN(const std::vector<std::int32_t> b_zero_points,
                 read_column_zero_points(context.input(kBZeroPoint), b.dtype(), b.shape(), "b_zero_point"));
    const bool a_signed = a.dtype() == DType::kInt8;
    if (!weights_are_constant_ || !matmul_.packed_for(a_signed)) {
      ASSAY_TRY(matmul_.pack(b, false, a_signed));
    }
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kInt32, shape.output));
    ASSAY_TRY(matmul_.sums(
        context, {.a = a.bytes(), .shape = shape, .a_zero_points = a_zero_points, .b_zero_points = b_zero_points},
        y.mutable_data<std::int32_t>().data()));
    return std::vector<Tensor>{std::move(y)};
  }

  KernelInfo kernel() const override { return matmul_.kernel(); }
  bool saturates() const override { return matmul_.saturates(); }

 private:
  QuantizedMatmul matmul_;
  bool weights_are_constant_;
};

}  // namespace

OperatorResult prepare_matmul_integer(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 4));
  auto prepared = std::make_unique<MatMulInteger>(context);
  ASSAY_TRY(prepared->prepare(context));
  return OperatorResult(std::move(prepared));
}

}  // namespace assay::runtime
