// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "engine/base/rounding.h"
#include "engine/kernels/requantize/requantize.h"

namespace assay::kernels {
namespace {

constexpr Index kBlock = Index{1} << 16;  // bytes whose sum stays below 2^24

template <typename Byte>
std::int32_t row_sum(const Byte* a, Index k) {
  std::int32_t total = 0;
  for (Index p0 = 0; p0 < k; p0 += kBlock) {
    const Index end = p0 + kBlock < k ? p0 + kBlock : k;
    std::int32_t sum = 0;
    for (Index p = p0; p < end; ++p) {
      sum += a[p];
    }
    total = wrapping_add(total, sum);
  }
  return total;
}

}  // namespace

void row_sums(const RowSumArgs& args) {
  for (Index i = 0; i < args.rows; ++i) {
    args.out[i] = args.a_signed ? row_sum(static_cast<const std::int8_t*>(args.a) + i * args.a_stride_bytes, args.k)
                                : row_sum(static_cast<const std::uint8_t*>(args.a) + i * args.a_stride_bytes, args.k);
  }
}

}  // namespace assay::kernels
