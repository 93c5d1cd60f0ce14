// SPDX-License-Identifier: Apache-2.0
// Every row of gemm_kernels() that this host can run, against the naive int64 product.
#include "engine/kernels/gemm/gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/engine/kernels/gemm/gemm_case.h"
#include "tests/support/kernel_runs.h"

namespace assay::test {
namespace {

using kernels::GemmKernel;
using kernels::Operands;

constexpr Operands kAllOperands[] = {Operands::kU8S8, Operands::kU8U8, Operands::kS8S8, Operands::kS8U8};
constexpr Arithmetic kAllArithmetics[] = {Arithmetic::kExact, Arithmetic::kSat16Pairs};

// Runs every kernel for these operands and arithmetic.
void expect_all_equal_oracle(const GemmCase& gemm, Operands operands, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kSat16Pairs && operands != Operands::kU8S8) {
    return;
  }
  const oracle::Integers expected = oracle::matmul(oracle_args(gemm, operands, arithmetic));
  for (const GemmKernel* kernel : runnable_kernels()) {
    if (kernel->operands == operands && kernel->arithmetic == arithmetic) {
      const oracle::Integers found = run_kernel(*kernel, gemm);
      if (found != expected) {
        FAIL() << kernel->name << ": " << gemm.text() << ": " << ::testing::PrintToString(found) << " is not "
               << ::testing::PrintToString(expected);
      }
    }
  }
}

TEST(Gemm, EqualsTheOracleOnRandomShapes) {
  for (const Operands operands : kAllOperands) {
    for (int i = 0; i < 300; ++i) {
      Random random(static_cast<std::uint64_t>(i));
      const GemmCase gemm = random_case(operands, random);
      for (const Arithmetic arithmetic : kAllArithmetics) {
        ASSERT_NO_FATAL_FAILURE(expect_all_equal_oracle(gemm, operands, arithmetic));
      }
    }
  }
}

TEST(Gemm, EqualsTheOracleOnTenThousandSmallShapes) {
  for (const Operands operands : kAllOperands) {
    for (int i = 0; i < case_count(10000); ++i) {
      Random random(static_cast<std::uint64_t>(1000 + i));
      const GemmCase gemm = random_small_case(operands, random);
      for (const Arithmetic arithmetic : kAllArithmetics) {
        ASSERT_NO_FATAL_FAILURE(expect_all_equal_oracle(gemm, operands, arithmetic)) << "stream " << 1000 + i;
      }
    }
  }
}

TEST(Gemm, TailsOfEveryDimension) {
  Random random(1);
  for (const Operands operands : kAllOperands) {
    for (Index k = 0; k <= 9; ++k) {
      for (Index n = 1; n <= 18; ++n) {
        GemmCase gemm = make_case(n % 3 == 0 ? 13 : 5, n, k);
        fill(gemm, operands, Fill::kUniform, random);
        for (const Arithmetic arithmetic : kAllArithmetics) {
          ASSERT_NO_FATAL_FAILURE(expect_all_equal_oracle(gemm, operands, arithmetic));
        }
      }
    }
    for (Index m = 1; m <= 26; ++m) {
      GemmCase gemm = make_case(m, 65, 6);
      fill(gemm, operands, Fill::kUniform, random);
      for (const Arithmetic arithmetic : kAllArithmetics) {
        ASSERT_NO_FATAL_FAILURE(expect_all_equal_oracle(gemm, operands, arithmetic));
      }
    }
  }
}

TEST(Gemm, EveryPairOfBytesAtEveryPlaceOfAGroup) {
  for (const Operands operands : kAllOperands) {
    for (Index place = 0; place < 5; ++place) {
      GemmCase gemm = make_case(256, 256, 5);
      for (Index value = 0; value < 256; ++value) {
        gemm.a_at(value, place) = static_cast<std::uint8_t>(value);
        gemm.b_at(place, value) = static_cast<std::uint8_t>(value);
      }
      for (const Arithmetic arithmetic : kAllArithmetics) {
        ASSERT_NO_FATAL_FAILURE(expect_all_equal_oracle(gemm, operands, arithmetic));
      }
    }
  }
}

TEST(Gemm, SaturatesPairsOfRandomBytes) {
  Random random(2);
  GemmCase gemm = make_case(256, 256, 2);
  fill(gemm, Operands::kU8S8, Fill::kUniform, random);
  const oracle::PairCounts counts = oracle::count_pairs(oracle_args(gemm, Operands::kU8S8, Arithmetic::kSat16Pairs));
  ASSERT_GT(counts.saturated, 1000U);
  expect_all_equal_oracle(gemm, Operands::kU8S8, Arithmetic::kSat16Pairs);
}

TEST(Gemm, PairSumsAtTheLimitsOfInt16) {
  struct Pair {
    std::uint8_t a[2];
    std::int8_t b[2];
    std::int32_t sum;  // saturated
  };
  constexpr Pair kPairs[] = {
      {{255, 255}, {127, 127}, 32767},  {{255, 255}, {-128, -128}, -32768}, {{255, 255}, {64, 64}, 32640},
      {{255, 255}, {-64, -64}, -32640}, {{255, 127}, {127, 3}, 32766},      {{255, 191}, {127, 2}, 32767},
      {{255, 128}, {127, 3}, 32767},    {{255, 128}, {-128, -1}, -32768},   {{255, 129}, {-128, -1}, -32768},
      {{255, 127}, {-128, -1}, -32767}, {{255, 255}, {127, -128}, -255},    {{0, 255}, {-128, 127}, 32385},
  };
  for (const Pair& pair : kPairs) {
    GemmCase gemm = make_case(1, 1, 2);
    for (Index p = 0; p < 2; ++p) {
      gemm.a_at(0, p) = pair.a[p];
      gemm.b_at(p, 0) = static_cast<std::uint8_t>(pair.b[p]);
    }
    for (const GemmKernel* kernel : runnable_kernels()) {
      if (kernel->arithmetic == Arithmetic::kSat16Pairs) {
        EXPECT_THAT(run_kernel(*kernel, gemm), ::testing::ElementsAre(pair.sum)) << kernel->name;
      }
    }
  }
}

TEST(Gemm, AnOddLastIndexStandsAlone) {
  GemmCase gemm = make_case(1, 1, 3);
  for (Index p = 0; p < 3; ++p) {
    gemm.a_at(0, p) = 255;
    gemm.b_at(p, 0) = 127;
  }
  for (const GemmKernel* kernel : runnable_kernels()) {
    if (kernel->arithmetic == Arithmetic::kSat16Pairs) {
      EXPECT_THAT(run_kernel(*kernel, gemm), ::testing::ElementsAre(32767 + 255 * 127)) << kernel->name;
    }
  }
}

TEST(Gemm, SumsBeyondInt32Wrap) {
  for (const Operands operands : kAllOperands) {
    for (const Arithmetic arithmetic : kAllArithmetics) {
      // The largest product of equal signs, often enough to pass 2^31.
      const OperandSigns signs = signs_of(operands);
      GemmCase gemm = make_case(2, 3, 150001);
      for (std::uint8_t& byte : gemm.a) {
        byte = signs.a ? 0x80 : 0xFF;
      }
      for (std::uint8_t& byte : gemm.b) {
        byte = signs.b ? (signs.a ? 0x80 : 0x7F) : 0xFF;
      }
      ASSERT_NO_FATAL_FAILURE(expect_all_equal_oracle(gemm, operands, arithmetic));
    }
  }
}

TEST(Gemm, LargestProductsOfEverySign) {
  struct Row {
    Operands operands;
    std::uint8_t a;
    std::uint8_t b;
    std::int32_t product;
  };
  constexpr Row kRows[] = {
      {Operands::kS8S8, 0x80, 0x80, 128 * 128},  {Operands::kS8S8, 0x80, 0x7F, -128 * 127},
      {Operands::kU8S8, 0xFF, 0x80, -255 * 128}, {Operands::kU8S8, 0xFF, 0x7F, 255 * 127},
      {Operands::kS8U8, 0x80, 0xFF, -128 * 255}, {Operands::kS8U8, 0x7F, 0xFF, 127 * 255},
      {Operands::kU8U8, 0xFF, 0xFF, 255 * 255},
  };
  constexpr Index kCount = 1030;
  for (const Row& row : kRows) {
    GemmCase gemm = make_case(7, 33, kCount);
    gemm.a.assign(gemm.a.size(), row.a);
    gemm.b.assign(gemm.b.size(), row.b);
    for (const GemmKernel* kernel : runnable_kernels()) {
      if (kernel->operands == row.operands && kernel->arithmetic == Arithmetic::kExact) {
        EXPECT_THAT(run_kernel(*kernel, gemm), ::testing::Each(row.product * std::int32_t{kCount})) << kernel->name;
      }
    }
  }
}

TEST(Gemm, NoRowsOrColumnsWriteNothing) {
  const GemmCase gemm = make_case(1, 1, 4);
  alignas(64) const std::uint8_t packed[4096] = {};
  for (const GemmKernel* kernel : runnable_kernels()) {
    std::int32_t c = 7;
    kernels::GemmArgs args{
        .m = 0, .n = 1, .k = 4, .a = gemm.a.data(), .a_stride_bytes = 4, .packed_b = packed, .c = &c, .c_stride = 1};
    test::ran(*kernel).run(args);
    args.m = 1;
    args.n = 0;
    test::ran(*kernel).run(args);
    EXPECT_EQ(c, 7) << kernel->name;
  }
}

TEST(Gemm, NamesFollowTheGrammarAndAreUnique) {
  std::set<std::string> names;
  for (const GemmKernel& kernel : kernels::gemm_kernels()) {
    static constexpr const char* kOperandNames[] = {"u8s8", "u8u8", "s8s8", "s8u8"};
    const std::string arithmetic = kernel.arithmetic == Arithmetic::kExact ? "exact" : "sat16_pairs";
    EXPECT_EQ(kernel.name, "gemm_" + std::string(kOperandNames[static_cast<int>(kernel.operands)]) + "_" + arithmetic +
                               "_" + std::string(isa_name(kernel.isa)));
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
  }
}

}  // namespace
}  // namespace assay::test
