// SPDX-License-Identifier: Apache-2.0
// Sums that start at a value per column, and rows of A that lie in lines and segments, against the naive product.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/engine/kernels/gemm/gemm_case.h"

namespace assay::test {
namespace {

using kernels::GemmKernel;
using kernels::Operands;

constexpr Operands kAllOperands[] = {Operands::kU8S8, Operands::kU8U8, Operands::kS8S8, Operands::kS8U8};
constexpr std::int32_t kLargest = std::numeric_limits<std::int32_t>::max();

// The naive product of the bytes where the case's lines put them, plus the starts, wrapping.
oracle::Integers expected_sums(const GemmCase& gemm, Operands operands, Arithmetic arithmetic) {
  oracle::Integers sums = oracle::matmul(oracle_args(gemm, operands, arithmetic));
  for (std::size_t i = 0; i < sums.size() && !gemm.column_start.empty(); ++i) {
    const auto start = static_cast<std::uint32_t>(gemm.column_start[i % static_cast<std::size_t>(gemm.n)]);
    sums[i] = static_cast<std::int32_t>(start + static_cast<std::uint32_t>(sums[i]));
  }
  return sums;
}

void expect_equal(const GemmKernel& kernel, const GemmCase& gemm) {
  ASSERT_EQ(run_kernel(kernel, gemm), expected_sums(gemm, kernel.operands, kernel.arithmetic))
      << kernel.name << ": " << gemm.text();
}

void give_starts(GemmCase& gemm, Random& random) {
  for (Index j = 0; j < gemm.n; ++j) {
    gemm.column_start.push_back(static_cast<std::int32_t>(random.integer(-kLargest - 1, kLargest)));
  }
}

// A as the taps of a kernel of `segments` rows over a channel-last image.
GemmCase random_lines(Operands operands, Random& random) {
  const Index segment = 4 * (random.chance(0.05) ? random.integer(100, 300) : random.integer(1, 20));
  const Index segments = random.integer(1, 5);
  GemmCase gemm = make_case(random.integer(1, 60), random.integer(1, 70), segment * segments);
  gemm.lines.rows = random.integer(1, 20);
  gemm.a_stride = random.integer(1, 3) * 4;
  gemm.lines.segments = segments;
  gemm.lines.stride_bytes = gemm.lines.rows * gemm.a_stride + segment;
  gemm.lines.segment_stride_bytes = segments == 1 ? 0 : gemm.lines.stride_bytes;
  gemm.c_stride = gemm.n + (random.chance(0.5) ? random.integer(0, 5) : 0);
  gemm.b_transposed = random.chance(0.5);
  fill(gemm, operands, random.chance(0.1) ? Fill::kSaturating : Fill::kUniform, random);
  return gemm;
}

TEST(GemmLines, EqualTheOracleOnRandomShapes) {
  int compared = 0;
  for (const Operands operands : kAllOperands) {
    for (int i = 0; i < 150; ++i) {
      Random random(static_cast<std::uint64_t>(i));
      GemmCase gemm = random_lines(operands, random);
      if (random.chance(0.3)) {
        give_starts(gemm, random);
      }
      for (const GemmKernel* kernel : runnable_kernels()) {
        if (kernel->operands == operands && kernel->reads_lines) {
          ASSERT_NO_FATAL_FAILURE(expect_equal(*kernel, gemm)) << "stream " << i;
          ++compared;
        }
      }
    }
  }
  // Where no kernel reads lines, nothing reads lines: the table says so.
  const auto kernels = runnable_kernels();
  EXPECT_EQ(compared > 0, std::ranges::any_of(kernels, &GemmKernel::reads_lines));
}

TEST(GemmColumnStart, SumsStartThere) {
  for (const Operands operands : kAllOperands) {
    for (int i = 0; i < 300; ++i) {
      Random random(static_cast<std::uint64_t>(i));
      GemmCase gemm = random_case(operands, random);
      give_starts(gemm, random);
      for (const GemmKernel* kernel : runnable_kernels()) {
        if (kernel->operands == operands) {
          ASSERT_NO_FATAL_FAILURE(expect_equal(*kernel, gemm)) << "stream " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::test
