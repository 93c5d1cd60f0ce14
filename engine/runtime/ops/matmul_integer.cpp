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
      : matmul_(context, {.a = kA, .a_zero_point = kAZeroPoint, .b = kB, .b_zero_point = kBZeroPoint}) {}

  Status prepare(const PrepareContext& context) { return matmul_.prepare(context); }

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& a = context.input(kA);
    const Tensor& b = context.input(kB);
    ASSAY_TRY(expect_8bit(a, "A"));
    ASSAY_TRY(expect_8bit(b, "B"));
    ASSAY_ASSIGN(const bool changed, matmul_.bind(context, a.shape()));
    if (changed) {
      ASSAY_TRY(set_parameters(context));
    }
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kInt32, matmul_.shape().output));
    ASSAY_TRY(matmul_.sums(context, a.bytes(), y.mutable_data<std::int32_t>().data()));
    outputs.push_back(std::move(y));
    return {};
  }

  KernelInfo kernel() const override { return matmul_.kernel(); }
  bool saturates() const override { return matmul_.saturates(); }

 private:
  Status set_parameters(const RunContext& context) {
    const Tensor& a = context.input(kA);
    const Tensor& b = context.input(kB);
    ASSAY_TRY(read_row_zero_points(context.input(kAZeroPoint), a.dtype(), a.shape(), "a_zero_point", a_zero_points_));
    ASSAY_TRY(
        read_column_zero_points(context.input(kBZeroPoint), b.dtype(), b.shape(), "b_zero_point", b_zero_points_));
    matmul_.set_parameters({.a_zero_points = a_zero_points_, .b_zero_points = b_zero_points_});
    return {};
  }

  QuantizedMatmul matmul_;
  std::vector<std::int32_t> a_zero_points_;
  std::vector<std::int32_t> b_zero_points_;
};

}  // namespace

OperatorResult prepare_matmul_integer(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 4));
  auto prepared = std::make_unique<MatMulInteger>(context);
  ASSAY_TRY(prepared->prepare(context));
  return OperatorResult(std::move(prepared));
}

}  // namespace assay::runtime
