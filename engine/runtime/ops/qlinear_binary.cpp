// SPDX-License-Identifier: Apache-2.0
// com.microsoft.QLinearAdd and QLinearMul with broadcasting (kernels/elementwise/binary.h has the formulas). QLinearAdd
// rounds once per fused multiply-add in every profile whose ISA has one.
#include <algorithm>

#include "engine/kernels/elementwise/binary.h"
#include "engine/runtime/ops/broadcast.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kA, kAScale, kAZeroPoint, kB, kBScale, kBZeroPoint, kYScale, kYZeroPoint };

// Elements that one thread takes of a long row.
constexpr Index kPiece = Index{1} << 14;

using Kernel = void (*)(const kernels::BinaryArgs&);

// Scales, zero points and type, without data.
Result<kernels::BinaryArgs> read_args(const RunContext& context) {
  const DType type = context.input(kA).dtype();
  ASSAY_TRY(expect_8bit(context.input(kA), "A"));
  ASSAY_TRY(expect_dtype(context.input(kB), type, "B"));
  kernels::BinaryArgs args;
  args.is_signed = type == DType::kInt8;
  ASSAY_ASSIGN(args.a.scale, read_scale(context.input(kAScale), "A_scale"));
  ASSAY_ASSIGN(args.a.zero_point, read_zero_point(context.input(kAZeroPoint), type, "A_zero_point"));
  ASSAY_ASSIGN(args.b.scale, read_scale(context.input(kBScale), "B_scale"));
  ASSAY_ASSIGN(args.b.zero_point, read_zero_point(context.input(kBZeroPoint), type, "B_zero_point"));
  ASSAY_ASSIGN(args.y_scale, read_scale(context.input(kYScale), "C_scale"));
  ASSAY_ASSIGN(args.y_zero_point, read_zero_point(context.input(kYZeroPoint), type, "C_zero_point"));
  return args;
}

Result<Tensor> run_binary(const RunContext& context, Kernel kernel) {
  const Tensor& a = context.input(kA);
  const Tensor& b = context.input(kB);
  ASSAY_ASSIGN(const kernels::BinaryArgs common, read_args(context));
  ASSAY_ASSIGN(const Broadcast broadcast, Broadcast::make(a.shape(), b.shape()));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(a.dtype(), broadcast.shape()));
  std::byte* out = y.mutable_bytes();
  broadcast.for_each_row([&](const BroadcastRow& row) {
    for_each_task((row.count + kPiece - 1) / kPiece, context.threads, [&](Index piece, int) {
      const Index first = piece * kPiece;
      kernels::BinaryArgs args = common;
      args.a.data = a.bytes() + row.a + first * row.a_step;
      args.a.step = row.a_step;
      args.b.data = b.bytes() + row.b + first * row.b_step;
      args.b.step = row.b_step;
      args.count = std::min(kPiece, row.count - first);
      args.y = out + row.out + first;
      kernel(args);
    });
  });
  return y;
}

OperatorResult prepare(const PrepareContext& context, Kernel kernels::BinaryKernel::*operation) {
  ASSAY_TRY(check_arity(context, 2, 8));
  const kernels::BinaryChoice choice = kernels::choose_binary(context.profile, context.features);
  const Kernel kernel = choice.kernel->*operation;
  return make_operator([kernel](const RunContext& run) { return run_binary(run, kernel); },
                       kernel_info(choice, context.profile, "float32"));
}

}  // namespace

OperatorResult prepare_qlinear_add(const PrepareContext& context) {
  return prepare(
      context, uses_fma(context.profile.isa) ? &kernels::BinaryKernel::add_fused : &kernels::BinaryKernel::add_unfused);
}

OperatorResult prepare_qlinear_mul(const PrepareContext& context) {
  return prepare(context, &kernels::BinaryKernel::mul);
}

}  // namespace assay::runtime
