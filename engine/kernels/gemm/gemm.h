// SPDX-License-Identifier: Apache-2.0
// Integer matrix product on raw bytes: C[i,j] = column_start[j] + dot(A[i,:], B[:,j]), int32 (wrapping), zero points
// not applied.
//
// A: m x k, row-major, rows a_stride_bytes apart, or lines of rows in segments (GemmLines), for kernels that read them:
// so a convolution multiplies its image without a matrix of patches. B: k x n, packed once by the kernel's own pack
// function. C: m x n int32, rows c_stride elements apart, overwritten. Operand types: Operands names the type of A,
// then of B. Arithmetic: exact is the int32 sum of all products, wrapping: the sum modulo 2^32, which k > 33025 can
// reach. sat16-pairs (u8 x s8 only) adds
//   sat16(a[2p]*b[2p] + a[2p+1]*b[2p+1]) over p in int32; an odd last index stands alone (it cannot saturate).
//   Pairs count from k = 0 of each row: blocking over k never breaks one.
// Zero points: (a-za)(b-zb) summed = C - za*colsum(B) - zb*rowsum(A) + k*za*zb, which the caller applies exactly.
// Reads and writes: the elements of A, the packed bytes of B and the elements of C, nothing before, between or behind.
// Threads: none inside; callers split rows. Naive version: tests/support/oracle.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/cpu_features.h"
#include "engine/base/dtype.h"
#include "engine/base/profile.h"
#include "engine/kernels/choose_kernel.h"
#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {

enum class Operands { kU8S8, kU8U8, kS8S8, kS8U8 };

struct GemmKernel {
  const char* name;  // gemm_<operands>_<exact|sat16_pairs>_<isa>
  Isa isa;           // needs this to run natively
  Operands operands;
  Arithmetic arithmetic;
  bool reads_lines;  // takes GemmArgs::lines
  Index (*packed_bytes)(Index n, Index k);
  void (*pack)(const PackArgs&);
  void (*run)(const GemmArgs&);
};

// Every kernel, best first.
std::span<const GemmKernel> gemm_kernels();

using GemmChoice = KernelChoice<GemmKernel>;

// The best kernel of exactly the profile's ISA level that the family has for these operands (levels without a kernel of
// their own use the next lower one, natively), or, where `features` lack that level, the best that they allow with the
// same arithmetic. There is always one: the scalar kernels cover every operand pair and arithmetic.
GemmChoice choose_gemm(const Profile& profile, Operands operands, const CpuFeatures& features);

// sat16-pairs statistics of one product, for the saturation witness. A: m x k u8 rows; B: k x n s8 as in PackArgs (not
// packed).
struct PairStatistics {
  std::uint64_t pairs = 0;
  std::uint64_t saturated = 0;
  Index largest_loss = 0;
};
struct WitnessArgs {
  Index m = 0;
  Index n = 0;
  Index k = 0;
  const std::uint8_t* a = nullptr;
  Index a_stride_bytes = 0;
  const std::int8_t* b = nullptr;
  Index k_stride_bytes = 0;
  Index n_stride_bytes = 0;
};
// Where the statistics of each column of B and of each row of A are added: n and m entries, or none.
struct WitnessDetail {
  std::span<PairStatistics> columns;
  std::span<PairStatistics> rows;
};
PairStatistics count_saturated_pairs(const WitnessArgs& args, const WitnessDetail& detail = {});

// What one operand alone says of saturation, whatever 8-bit values the other has. With s8 weights a pair is safe if its
// positive weights sum to at most 128 and its negative ones to at least -128 (255 * 128 < 2^15); with u8 weights if
// they sum to at most 256 (-128 * 256 = -2^15).
struct PairBound {
  std::uint64_t pairs = 0;
  std::uint64_t at_risk = 0;  // of these, those that some values of the other operand saturate
  Index largest_loss = 0;     // the most that one clip can change a pair sum by
};
// `weights`: k elements, stride_bytes apart: a column of an s8 B, or a row of a u8 A.
PairBound bound_s8_weights(const std::int8_t* weights, Index k, Index stride_bytes);
PairBound bound_u8_weights(const std::uint8_t* weights, Index k, Index stride_bytes);

}  // namespace assay::kernels
