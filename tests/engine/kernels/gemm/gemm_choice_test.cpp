// SPDX-License-Identifier: Apache-2.0
// Which kernel each profile gets, by name, on hosts of each level.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/kernels/gemm/gemm.h"
#include "tests/engine/kernels/each_kernel.h"
#include "tests/engine/kernels/gemm/gemm_case.h"

namespace assay::test {
namespace {

using kernels::choose_gemm;
using kernels::GemmChoice;
using kernels::Operands;
using ::testing::ElementsAreArray;

std::string chosen(const Profile& profile, Operands operands, const CpuFeatures& features) {
  return choose_gemm(profile, operands, features).kernel->name;
}

struct Row {
  Profile profile;
  Operands operands;
  const char* name;
};

#if defined(__x86_64__)
constexpr Profile kScalarFast{Isa::kScalar, Precision::kFast};
constexpr Profile kSse41Fast{Isa::kSse41, Precision::kFast};
constexpr Profile kAvx2Fast{Isa::kAvx2, Precision::kFast};
constexpr Profile kAvx2Exact{Isa::kAvx2, Precision::kExact};
constexpr Profile kAvx512Fast{Isa::kAvx512, Precision::kFast};
constexpr Profile kAvx512Exact{Isa::kAvx512, Precision::kExact};
constexpr Profile kAvxVnniFast{Isa::kAvxVnni, Precision::kFast};
constexpr Profile kAvxVnniExact{Isa::kAvxVnni, Precision::kExact};
constexpr Profile kAvx512VnniFast{Isa::kAvx512Vnni, Precision::kFast};
constexpr Profile kAvx512VnniExact{Isa::kAvx512Vnni, Precision::kExact};
constexpr Profile kAmxInt8Fast{Isa::kAmxInt8, Precision::kFast};
constexpr Profile kAmxInt8Exact{Isa::kAmxInt8, Precision::kExact};

TEST(GemmChoice, OnAHostThatHasEverything) {
  constexpr Row kRows[] = {
      {kScalarFast, Operands::kU8S8, "gemm_u8s8_exact_scalar"},
      {kScalarFast, Operands::kU8U8, "gemm_u8u8_exact_scalar"},
      {kScalarFast, Operands::kS8S8, "gemm_s8s8_exact_scalar"},
      {kScalarFast, Operands::kS8U8, "gemm_s8u8_exact_scalar"},
      {kSse41Fast, Operands::kU8S8, "gemm_u8s8_exact_scalar"},
      {kAvx2Fast, Operands::kU8S8, "gemm_u8s8_sat16_pairs_avx2"},
      {kAvx2Exact, Operands::kU8S8, "gemm_u8s8_exact_avx2"},
      {kAvx2Fast, Operands::kU8U8, "gemm_u8u8_exact_avx2"},
      {kAvx2Fast, Operands::kS8S8, "gemm_s8s8_exact_avx2"},
      {kAvx2Fast, Operands::kS8U8, "gemm_s8u8_exact_avx2"},
      {kAvx512Fast, Operands::kU8S8, "gemm_u8s8_sat16_pairs_avx512"},
      {kAvx512Exact, Operands::kU8S8, "gemm_u8s8_exact_avx512"},
      {kAvx512Fast, Operands::kU8U8, "gemm_u8u8_exact_avx512"},
      {kAvx512Fast, Operands::kS8S8, "gemm_s8s8_exact_avx512"},
      {kAvx512Fast, Operands::kS8U8, "gemm_s8u8_exact_avx512"},
      {kAvxVnniFast, Operands::kU8S8, "gemm_u8s8_exact_avx_vnni"},
      {kAvxVnniExact, Operands::kU8S8, "gemm_u8s8_exact_avx_vnni"},
      {kAvxVnniFast, Operands::kS8U8, "gemm_s8u8_exact_avx_vnni"},
      {kAvxVnniFast, Operands::kU8U8, "gemm_u8u8_exact_avx_vnni"},
      {kAvxVnniFast, Operands::kS8S8, "gemm_s8s8_exact_avx_vnni"},
      {kAvx512VnniFast, Operands::kU8S8, "gemm_u8s8_exact_avx512_vnni"},
      {kAvx512VnniExact, Operands::kU8S8, "gemm_u8s8_exact_avx512_vnni"},
      {kAvx512VnniFast, Operands::kS8U8, "gemm_s8u8_exact_avx512_vnni"},
      {kAvx512VnniFast, Operands::kU8U8, "gemm_u8u8_exact_avx512_vnni"},
      {kAvx512VnniFast, Operands::kS8S8, "gemm_s8s8_exact_avx512_vnni"},
      {kAmxInt8Fast, Operands::kU8S8, "gemm_u8s8_exact_amx_int8"},
      {kAmxInt8Exact, Operands::kU8S8, "gemm_u8s8_exact_amx_int8"},
      {kAmxInt8Fast, Operands::kU8U8, "gemm_u8u8_exact_amx_int8"},
      {kAmxInt8Fast, Operands::kS8S8, "gemm_s8s8_exact_amx_int8"},
      {kAmxInt8Fast, Operands::kS8U8, "gemm_s8u8_exact_amx_int8"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(chosen(row.profile, row.operands, full_host()), row.name) << isa_name(row.profile.isa);
    EXPECT_TRUE(choose_gemm(row.profile, row.operands, full_host()).native);
  }
}

TEST(GemmChoice, EmulatesWithTheSameArithmeticOnTheBestThatTheHostHas) {
  struct HostRow {
    Isa host;
    Profile profile;
    const char* name;
    bool native;
  };
  constexpr HostRow kRows[] = {
      {Isa::kScalar, kScalarFast, "gemm_u8s8_exact_scalar", true},
      {Isa::kScalar, kSse41Fast, "gemm_u8s8_exact_scalar", false},
      {Isa::kScalar, kAvx2Fast, "gemm_u8s8_sat16_pairs_scalar", false},
      {Isa::kScalar, kAvx512VnniFast, "gemm_u8s8_exact_scalar", false},
      {Isa::kAvx2, kAvx2Fast, "gemm_u8s8_sat16_pairs_avx2", true},
      {Isa::kAvx2, kAvx512Fast, "gemm_u8s8_sat16_pairs_avx2", false},
      {Isa::kAvx2, kAvx512Exact, "gemm_u8s8_exact_avx2", false},
      {Isa::kAvx2, kAvxVnniFast, "gemm_u8s8_exact_avx2", false},
      {Isa::kAvx2, kAvx512VnniFast, "gemm_u8s8_exact_avx2", false},
      {Isa::kAvx512, kAvxVnniFast, "gemm_u8s8_exact_avx512", false},
      {Isa::kAvx512, kAvx512VnniFast, "gemm_u8s8_exact_avx512", false},
      {Isa::kAvxVnni, kAvx512VnniFast, "gemm_u8s8_exact_avx_vnni", false},
      {Isa::kAvxVnni, kAvx512Fast, "gemm_u8s8_sat16_pairs_avx2", false},
      {Isa::kAvx512Vnni, kAvx2Fast, "gemm_u8s8_sat16_pairs_avx2", true},
      {Isa::kAvx512Vnni, kAmxInt8Fast, "gemm_u8s8_exact_avx512_vnni", false},
      {Isa::kAvx2, kAmxInt8Fast, "gemm_u8s8_exact_avx2", false},
      {Isa::kAmxInt8, kAvx512VnniFast, "gemm_u8s8_exact_avx512_vnni", true},
      {Isa::kAmxInt8, kAvx512Fast, "gemm_u8s8_sat16_pairs_avx512", true},
      {Isa::kAvx512Vnni, {Isa::kNeon, Precision::kFast}, "gemm_u8s8_exact_avx512_vnni", false},
      {Isa::kAvx2, {Isa::kNeonDot, Precision::kFast}, "gemm_u8s8_exact_avx2", false},
      {Isa::kScalar, {Isa::kNeonI8mm, Precision::kFast}, "gemm_u8s8_exact_scalar", false},
  };
  for (const HostRow& row : kRows) {
    const GemmChoice choice = choose_gemm(row.profile, Operands::kU8S8, capped(full_host(), row.host));
    EXPECT_STREQ(choice.kernel->name, row.name) << isa_name(row.profile.isa) << " on " << isa_name(row.host);
    EXPECT_EQ(choice.native, row.native) << isa_name(row.profile.isa) << " on " << isa_name(row.host);
  }
}
#elif defined(__aarch64__)
constexpr Profile kAvx2Fast{Isa::kAvx2, Precision::kFast};
constexpr Profile kAvx512Exact{Isa::kAvx512, Precision::kExact};
constexpr Profile kNeonFast{Isa::kNeon, Precision::kFast};
constexpr Profile kNeonDotFast{Isa::kNeonDot, Precision::kFast};
constexpr Profile kNeonDotExact{Isa::kNeonDot, Precision::kExact};
constexpr Profile kNeonI8mmFast{Isa::kNeonI8mm, Precision::kFast};

TEST(GemmChoice, OnAHostThatHasEverything) {
  constexpr Row kRows[] = {
      {{Isa::kScalar, Precision::kFast}, Operands::kU8S8, "gemm_u8s8_exact_scalar"},
      {kNeonFast, Operands::kU8S8, "gemm_u8s8_exact_neon"},
      {kNeonFast, Operands::kU8U8, "gemm_u8u8_exact_neon"},
      {kNeonFast, Operands::kS8S8, "gemm_s8s8_exact_neon"},
      {kNeonFast, Operands::kS8U8, "gemm_s8u8_exact_neon"},
      {kNeonDotFast, Operands::kU8S8, "gemm_u8s8_exact_neon_dot"},
      {kNeonDotExact, Operands::kU8S8, "gemm_u8s8_exact_neon_dot"},
      {kNeonDotFast, Operands::kU8U8, "gemm_u8u8_exact_neon_dot"},
      {kNeonDotFast, Operands::kS8S8, "gemm_s8s8_exact_neon_dot"},
      {kNeonDotFast, Operands::kS8U8, "gemm_s8u8_exact_neon_dot"},
      {kNeonI8mmFast, Operands::kU8S8, "gemm_u8s8_exact_neon_i8mm"},
      {kNeonI8mmFast, Operands::kU8U8, "gemm_u8u8_exact_neon_i8mm"},
      {kNeonI8mmFast, Operands::kS8S8, "gemm_s8s8_exact_neon_i8mm"},
      {kNeonI8mmFast, Operands::kS8U8, "gemm_s8u8_exact_neon_i8mm"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(chosen(row.profile, row.operands, full_host()), row.name) << isa_name(row.profile.isa);
    EXPECT_TRUE(choose_gemm(row.profile, row.operands, full_host()).native);
  }
}

TEST(GemmChoice, EmulatesWithTheSameArithmeticOnTheBestThatTheHostHas) {
  struct HostRow {
    Isa host;
    Profile profile;
    const char* name;
    bool native;
  };
  constexpr HostRow kRows[] = {
      {Isa::kScalar, kNeonFast, "gemm_u8s8_exact_scalar", false},
      {Isa::kNeon, kNeonDotFast, "gemm_u8s8_exact_neon", false},
      {Isa::kNeon, kNeonI8mmFast, "gemm_u8s8_exact_neon", false},
      {Isa::kNeonDot, kNeonI8mmFast, "gemm_u8s8_exact_neon_dot", false},
      {Isa::kNeonDot, kNeonFast, "gemm_u8s8_exact_neon", true},
      {Isa::kNeonI8mm, kAvx2Fast, "gemm_u8s8_sat16_pairs_neon", false},
      {Isa::kNeonI8mm, kAvx512Exact, "gemm_u8s8_exact_neon_i8mm", false},
      {Isa::kScalar, kAvx2Fast, "gemm_u8s8_sat16_pairs_scalar", false},
  };
  for (const HostRow& row : kRows) {
    const GemmChoice choice = choose_gemm(row.profile, Operands::kU8S8, capped(full_host(), row.host));
    EXPECT_STREQ(choice.kernel->name, row.name) << isa_name(row.profile.isa) << " on " << isa_name(row.host);
    EXPECT_EQ(choice.native, row.native) << isa_name(row.profile.isa) << " on " << isa_name(row.host);
  }
}
#endif

TEST(GemmChoice, EveryProfileHasAKernelOnEveryHost) {
  for (const Isa host : all_isas()) {
    for (const Isa isa : all_isas()) {
      for (const Precision precision : {Precision::kFast, Precision::kExact}) {
        for (const Operands operands : {Operands::kU8S8, Operands::kU8U8, Operands::kS8S8, Operands::kS8U8}) {
          const Profile profile{isa, precision};
          const CpuFeatures features = capped(full_host(), host);
          const GemmChoice choice = choose_gemm(profile, operands, features);
          ASSERT_NE(choice.kernel, nullptr);
          EXPECT_TRUE(can_run(features, choice.kernel->isa));
          EXPECT_EQ(choice.kernel->operands, operands);
          const Arithmetic expected = operands == Operands::kU8S8 ? u8s8_arithmetic(profile) : Arithmetic::kExact;
          EXPECT_EQ(choice.kernel->arithmetic, expected);
        }
      }
    }
  }
}

TEST(GemmChoice, EmulatedAndNativeBytesAreTheSame) {
  for (const Isa isa : all_isas()) {
    for (int i = 0; i < 20; ++i) {
      Random random(static_cast<std::uint64_t>(i));
      const GemmCase gemm = random_case(Operands::kU8S8, random);
      const Profile profile{isa, Precision::kFast};
      const oracle::Integers expected =
          run_kernel(*choose_gemm(profile, Operands::kU8S8, host_features()).kernel, gemm);
      for (const Isa host : all_isas()) {
        const GemmChoice emulated = choose_gemm(profile, Operands::kU8S8, capped(host_features(), host));
        ASSERT_THAT(run_kernel(*emulated.kernel, gemm), ElementsAreArray(expected)) << emulated.kernel->name;
      }
    }
  }
}

}  // namespace
}  // namespace assay::test
