// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/kernels/gemm/gemm.h"
#include "tests/engine/kernels/gemm/gemm_case.h"

namespace assay::test {
namespace {

using kernels::Operands;
using kernels::PairStatistics;

PairStatistics witness(const GemmCase& gemm) {
  return kernels::count_saturated_pairs({.m = gemm.m,
                                         .n = gemm.n,
                                         .k = gemm.k,
                                         .a = gemm.a.data(),
                                         .a_stride_bytes = gemm.a_stride,
                                         .b = reinterpret_cast<const std::int8_t*>(gemm.b.data()),
                                         .k_stride_bytes = gemm.b_transposed ? 1 : gemm.n,
                                         .n_stride_bytes = gemm.b_transposed ? gemm.k : 1});
}

TEST(GemmWitness, EqualsTheOracleOnRandomShapes) {
  for (int i = 0; i < 300; ++i) {
    Random random(static_cast<std::uint64_t>(i));
    const GemmCase gemm = random_case(Operands::kU8S8, random);
    const oracle::PairCounts expected =
        oracle::count_pairs(oracle_args(gemm, Operands::kU8S8, Arithmetic::kSat16Pairs));
    const PairStatistics found = witness(gemm);
    ASSERT_EQ(found.pairs, expected.pairs) << gemm.text();
    ASSERT_EQ(found.saturated, expected.saturated) << gemm.text();
    ASSERT_EQ(found.largest_loss, expected.largest_loss) << gemm.text();
  }
}

TEST(GemmWitness, TheLimitsOfInt16AreNotLosses) {
  struct Row {
    std::uint8_t a[2];
    std::int8_t b[2];
    std::uint64_t saturated;
    Index loss;
  };
  constexpr Row kRows[] = {
      {{255, 191}, {127, 2}, 0, 0},        // 32767
      {{255, 128}, {127, 3}, 1, 2},        // 32769
      {{255, 128}, {-128, -1}, 0, 0},      // -32768
      {{255, 129}, {-128, -1}, 1, 1},      // -32769
      {{255, 255}, {127, 127}, 1, 32003},  // the largest sum
      {{255, 255}, {-128, -128}, 1, 32512},
  };
  for (const Row& row : kRows) {
    GemmCase gemm = make_case(1, 1, 2);
    for (Index p = 0; p < 2; ++p) {
      gemm.a_at(0, p) = row.a[p];
      gemm.b_at(p, 0) = static_cast<std::uint8_t>(row.b[p]);
    }
    const PairStatistics found = witness(gemm);
    EXPECT_EQ(found.pairs, 1U);
    EXPECT_EQ(found.saturated, row.saturated);
    EXPECT_EQ(found.largest_loss, row.loss);
  }
}

TEST(GemmWitness, WeightsOfSevenBitsNeverSaturate) {
  GemmCase gemm = make_case(3, 4, 6);
  for (std::uint8_t& byte : gemm.a) {
    byte = 255;
  }
  for (std::size_t i = 0; i < gemm.b.size(); ++i) {
    gemm.b[i] = static_cast<std::uint8_t>(static_cast<std::int8_t>(i % 2 == 0 ? 64 : -64));
  }
  const PairStatistics found = witness(gemm);
  EXPECT_EQ(found.pairs, 36U);
  EXPECT_EQ(found.saturated, 0U);
  EXPECT_EQ(found.largest_loss, 0);
}

TEST(GemmWitness, AnOddLastIndexFormsNoPair) {
  GemmCase gemm = make_case(2, 5, 1);
  EXPECT_EQ(witness(gemm).pairs, 0U);
}

}  // namespace
}  // namespace assay::test
