// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/kernels/gemm/gemm.h"
#include "tests/engine/kernels/gemm/gemm_case.h"

namespace assay::test {
namespace {

using kernels::Operands;
using kernels::PairStatistics;

kernels::WitnessArgs args_of(const GemmCase& gemm) {
  return {.m = gemm.m,
          .n = gemm.n,
          .k = gemm.k,
          .a = gemm.a.data(),
          .a_stride_bytes = gemm.a_stride,
          .b = reinterpret_cast<const std::int8_t*>(gemm.b.data()),
          .k_stride_bytes = gemm.b_transposed ? 1 : gemm.n,
          .n_stride_bytes = gemm.b_transposed ? gemm.k : 1};
}

PairStatistics witness(const GemmCase& gemm) { return kernels::count_saturated_pairs(args_of(gemm)); }

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

TEST(GemmWitness, ColumnsAndRowsAreThoseOfProductsOfTheirOwn) {
  for (int i = 0; i < 100; ++i) {
    Random random(static_cast<std::uint64_t>(i) + 1000);
    const GemmCase gemm = random_case(Operands::kU8S8, random);
    const kernels::WitnessArgs args = args_of(gemm);
    std::vector<PairStatistics> columns(static_cast<std::size_t>(gemm.n),
                                        {.pairs = 1, .saturated = 2, .largest_loss = 0});
    std::vector<PairStatistics> rows(static_cast<std::size_t>(gemm.m));
    const PairStatistics total = kernels::count_saturated_pairs(args, {.columns = columns, .rows = rows});
    std::uint64_t saturated = 0;
    for (Index j = 0; j < gemm.n; ++j) {
      kernels::WitnessArgs one = args;
      one.n = 1;
      one.b += j * args.n_stride_bytes;
      const PairStatistics alone = kernels::count_saturated_pairs(one);
      const PairStatistics& found = columns[static_cast<std::size_t>(j)];
      ASSERT_EQ(found.pairs, alone.pairs + 1) << gemm.text();
      ASSERT_EQ(found.saturated, alone.saturated + 2) << gemm.text();
      ASSERT_EQ(found.largest_loss, alone.largest_loss) << gemm.text();
      saturated += alone.saturated;
    }
    ASSERT_EQ(total.saturated, saturated);
    for (Index i = 0; i < gemm.m; ++i) {
      kernels::WitnessArgs one = args;
      one.m = 1;
      one.a += i * args.a_stride_bytes;
      const PairStatistics alone = kernels::count_saturated_pairs(one);
      const PairStatistics& found = rows[static_cast<std::size_t>(i)];
      ASSERT_EQ(found.pairs, alone.pairs) << gemm.text();
      ASSERT_EQ(found.saturated, alone.saturated) << gemm.text();
      ASSERT_EQ(found.largest_loss, alone.largest_loss) << gemm.text();
    }
  }
}

// Every pair of weights against the extremes of the other operand: a pair sum is linear in it, so they are the worst.
TEST(GemmWitness, BoundsAreTheWorstOfAllValues) {
  const auto loss = [](int sum) { return sum > 32767 ? sum - 32767 : sum < -32768 ? -32768 - sum : 0; };
  for (int w0 = -128; w0 < 128; ++w0) {
    for (int w1 = -128; w1 < 128; ++w1) {
      const std::int8_t weights[] = {static_cast<std::int8_t>(w0), static_cast<std::int8_t>(w1), 127};
      const int worst = std::max({loss(255 * w0), loss(255 * w1), loss(255 * (w0 + w1))});
      const kernels::PairBound bound = kernels::bound_s8_weights(weights, 3, 1);
      ASSERT_EQ(bound.pairs, 1U);
      ASSERT_EQ(bound.at_risk, worst > 0 ? 1U : 0U) << w0 << " " << w1;
      ASSERT_EQ(bound.largest_loss, worst) << w0 << " " << w1;
      const std::uint8_t unsigned_weights[] = {static_cast<std::uint8_t>(w0 + 128),
                                               static_cast<std::uint8_t>(w1 + 128)};
      const int sum = w0 + w1 + 256;
      const kernels::PairBound other = kernels::bound_u8_weights(unsigned_weights, 2, 1);
      ASSERT_EQ(other.largest_loss, std::max(loss(-128 * sum), loss(127 * sum))) << w0 << " " << w1;
      ASSERT_EQ(other.at_risk, other.largest_loss > 0 ? 1U : 0U);
    }
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
