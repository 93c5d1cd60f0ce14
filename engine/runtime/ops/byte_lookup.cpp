// SPDX-License-Identifier: Apache-2.0
// ai.assay.ByteLookup: y[i] = table[raw byte of x[i]], x and the 256 values of the table of 8 bits each.
#include <algorithm>

#include "engine/kernels/elementwise/lookup.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

constexpr Index kPiece = Index{1} << 14;

const std::uint8_t* raw(const Tensor& tensor) { return reinterpret_cast<const std::uint8_t*>(tensor.bytes()); }

Result<Tensor> look_up(const RunContext& context, const kernels::LookupKernel& kernel) {
  const Tensor& x = context.input(0);
  const Tensor& table = context.input(1);
  ASSAY_TRY(expect_8bit(x, "X"));
  ASSAY_TRY(expect_8bit(table, "table"));
  if (table.shape() != Shape{Index{kernels::kByteValues}}) {
    return invalid_argument("table has the shape [256]; found " + shape_text(table.shape()));
  }
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(table.dtype(), x.shape()));
  auto* out = reinterpret_cast<std::uint8_t*>(y.mutable_bytes());
  for_each_task((x.size() + kPiece - 1) / kPiece, context.threads, [&](Index piece, int) {
    const Index first = piece * kPiece;
    kernel.lookup(
        {.table = raw(table), .x = raw(x) + first, .count = std::min(kPiece, x.size() - first), .y = out + first});
  });
  return y;
}

}  // namespace

OperatorResult prepare_byte_lookup(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  const kernels::LookupChoice choice = kernels::choose_lookup(context.profile, context.features);
  return make_operator([choice](const RunContext& run) { return look_up(run, *choice.kernel); },
                       kernel_info(choice, context.profile, "float32"));
}

}  // namespace assay::runtime
