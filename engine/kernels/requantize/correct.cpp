// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "engine/base/rounding.h"
#include "engine/kernels/requantize/requantize.h"

namespace assay::kernels {
namespace {

std::int32_t value_or_zero(const std::int32_t* values, Index i) { return values == nullptr ? 0 : values[i]; }

void correct_row(const CorrectArgs& args, Index i) {
  const std::int32_t* acc = args.acc + i * args.acc_stride;
  std::int32_t* out = args.out + i * args.out_row_stride;
  const auto k = static_cast<std::int32_t>(args.k);
  const std::int32_t row_zero_point = value_or_zero(args.row_zero_point, i);
  // What b_zero_point multiplies: k*za - rowsum(A).
  const std::int32_t centre = wrapping_sub(wrapping_mul(k, row_zero_point), value_or_zero(args.row_sum, i));
  for (Index j = 0; j < args.columns; ++j) {
    std::int32_t v = wrapping_add(acc[j], args.column_offset[j]);
    v = wrapping_add(v, wrapping_mul(value_or_zero(args.b_zero_point, j), centre));
    if (args.row_zero_point != nullptr) {
      v = wrapping_sub(v, wrapping_mul(row_zero_point, args.column_sum[j]));
    }
    out[j * args.out_column_stride] = v;
  }
}

}  // namespace

void correct(const CorrectArgs& args) {
  for (Index i = 0; i < args.rows; ++i) {
    correct_row(args, i);
  }
}

}  // namespace assay::kernels
