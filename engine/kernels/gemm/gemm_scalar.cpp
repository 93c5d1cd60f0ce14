// SPDX-License-Identifier: Apache-2.0
// Portable kernels for every operand pair and both arithmetics, in loops that compilers vectorise for the baseline.
// Both operands are widened to int16: A here, a row and a stretch of k at a time, B when packed.
#include <algorithm>

#include "engine/kernels/gemm/gemm_args.h"
#include "engine/kernels/gemm/gemm_pack.h"

namespace assay::kernels {
namespace {

constexpr Index kStretch = 2048;  // k per widened row: its int32 sums stay below 2^28

Index round_up(Index value, Index unit) { return (value + unit - 1) / unit * unit; }

void add_wrapping(std::int32_t& sum, std::int32_t value) {
  sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(value));
}

void start_sums(const GemmArgs& args, std::int32_t* c) {
  if (args.column_start == nullptr) {
    std::fill_n(c, args.n, 0);
  } else {
    std::copy_n(args.column_start, args.n, c);
  }
}

// One widened row against kColumnBlock columns, `stride` elements apart; count is a multiple of kColumnUnit.
void dot_exact(const std::int16_t* a, const std::int16_t* b, Index stride, Index count, std::int32_t* out) {
  std::int32_t sum0 = 0;
  std::int32_t sum1 = 0;
  std::int32_t sum2 = 0;
  std::int32_t sum3 = 0;
  const std::int16_t* b1 = b + stride;
  const std::int16_t* b2 = b1 + stride;
  const std::int16_t* b3 = b2 + stride;
  const Index whole = count / kColumnUnit * kColumnUnit;
  for (Index p = 0; p < whole; ++p) {
    sum0 += a[p] * b[p];
    sum1 += a[p] * b1[p];
    sum2 += a[p] * b2[p];
    sum3 += a[p] * b3[p];
  }
  out[0] = sum0;
  out[1] = sum1;
  out[2] = sum2;
  out[3] = sum3;
}

// The sum of two int16 (both products of a u8 and an s8), saturated.
std::int16_t saturating_add(std::int16_t x, std::int16_t y) {
  const auto sum = static_cast<std::int16_t>(static_cast<std::uint16_t>(x) + static_cast<std::uint16_t>(y));
  // Negative where both have a sign that the sum has not.
  const auto wrapped = static_cast<std::int16_t>(~(x ^ y) & (x ^ sum));
  const auto overflow = static_cast<std::int16_t>(wrapped >> 15);
  const auto limit = static_cast<std::int16_t>((x >> 15) ^ 0x7FFF);
  return static_cast<std::int16_t>((sum & ~overflow) | (limit & overflow));
}

// `even` and `odd` hold the first and second factors of the pairs.
std::int32_t dot_sat16_pairs(const std::int16_t* a_even, const std::int16_t* a_odd, const std::int16_t* b_even,
                             const std::int16_t* b_odd, Index count) {
  std::int32_t sum = 0;
  const Index whole = count / kColumnUnit * kColumnUnit;
  for (Index p = 0; p < whole; ++p) {
    const auto first = static_cast<std::int16_t>(a_even[p] * b_even[p]);
    const auto second = static_cast<std::int16_t>(a_odd[p] * b_odd[p]);
    sum += saturating_add(first, second);
  }
  return sum;
}

template <typename Byte>
void run_exact(const GemmArgs& args) {
  const auto* packed = static_cast<const std::int16_t*>(args.packed_b);
  const Index length = round_up(args.k, kColumnUnit);
  alignas(64) std::int16_t row[kStretch];
  for (Index i = 0; i < args.m; ++i) {
    const auto* a = static_cast<const Byte*>(args.a) + i * args.a_stride_bytes;
    std::int32_t* c = args.c + i * args.c_stride;
    start_sums(args, c);
    for (Index k0 = 0; k0 < args.k; k0 += kStretch) {
      const Index k = std::min(args.k - k0, kStretch);
      const Index padded = round_up(k, kColumnUnit);
      std::copy_n(a + k0, k, row);
      std::fill(row + k, row + padded, std::int16_t{0});
      for (Index j = 0; j < args.n; j += kColumnBlock) {
        std::int32_t sums[kColumnBlock];
        dot_exact(row, packed + j * length + k0, length, padded, sums);
        for (Index t = 0; t < std::min(kColumnBlock, args.n - j); ++t) {
          add_wrapping(c[j + t], sums[t]);
        }
      }
    }
  }
}

}  // namespace

void gemm_unsigned_exact_scalar(const GemmArgs& args) { run_exact<std::uint8_t>(args); }
void gemm_signed_exact_scalar(const GemmArgs& args) { run_exact<std::int8_t>(args); }

void gemm_u8s8_sat16_pairs_scalar(const GemmArgs& args) {
  const auto* packed = static_cast<const std::int16_t*>(args.packed_b);
  const Index half = round_up((args.k + 1) / 2, kColumnUnit);
  alignas(64) std::int16_t even[kStretch];
  alignas(64) std::int16_t odd[kStretch];
  for (Index i = 0; i < args.m; ++i) {
    const auto* a = static_cast<const std::uint8_t*>(args.a) + i * args.a_stride_bytes;
    std::int32_t* c = args.c + i * args.c_stride;
    start_sums(args, c);
    for (Index p0 = 0; p0 < half; p0 += kStretch) {
      const Index pairs = std::min(half - p0, kStretch);
      for (Index p = 0; p < pairs; ++p) {
        const Index k = 2 * (p0 + p);
        even[p] = static_cast<std::int16_t>(k < args.k ? a[k] : 0);
        odd[p] = static_cast<std::int16_t>(k + 1 < args.k ? a[k + 1] : 0);
      }
      for (Index j = 0; j < args.n; ++j) {
        const std::int16_t* b = packed + 2 * j * half + p0;
        add_wrapping(c[j], dot_sat16_pairs(even, odd, b, b + half, pairs));
      }
    }
  }
}

}  // namespace assay::kernels
