// SPDX-License-Identifier: Apache-2.0
#include "engine/base/cpu_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

namespace assay {
namespace {

CpuFeatures full_x86() {
  CpuFeatures out;
  out.sse41 = out.avx2 = out.avx512 = out.avx_vnni = out.avx512_vnni = out.amx_int8 = true;
  return out;
}

CpuFeatures full_aarch64() {
  CpuFeatures out;
  out.neon = out.neon_dot = out.neon_i8mm = true;
  return out;
}

void expect_levels(const CpuFeatures& features, std::initializer_list<Isa> expected) {
  for (const Isa isa : all_isas()) {
    const bool wanted = std::find(expected.begin(), expected.end(), isa) != expected.end();
    EXPECT_EQ(can_run(features, isa), wanted) << isa_name(isa);
  }
}

TEST(CpuFeatures, ACapKeepsTheLevelsBelow) {
  expect_levels(capped(full_x86(), Isa::kScalar), {Isa::kScalar});
  expect_levels(capped(full_x86(), Isa::kSse41), {Isa::kScalar, Isa::kSse41});
  expect_levels(capped(full_x86(), Isa::kAvx2), {Isa::kScalar, Isa::kSse41, Isa::kAvx2});
  expect_levels(capped(full_x86(), Isa::kAvx512), {Isa::kScalar, Isa::kSse41, Isa::kAvx2, Isa::kAvx512});
  expect_levels(capped(full_x86(), Isa::kAvxVnni), {Isa::kScalar, Isa::kSse41, Isa::kAvx2, Isa::kAvxVnni});
  expect_levels(capped(full_x86(), Isa::kAvx512Vnni),
                {Isa::kScalar, Isa::kSse41, Isa::kAvx2, Isa::kAvx512, Isa::kAvxVnni, Isa::kAvx512Vnni});
  expect_levels(capped(full_aarch64(), Isa::kScalar), {Isa::kScalar});
  expect_levels(capped(full_aarch64(), Isa::kNeon), {Isa::kScalar, Isa::kNeon});
  expect_levels(capped(full_aarch64(), Isa::kNeonDot), {Isa::kScalar, Isa::kNeon, Isa::kNeonDot});
  expect_levels(capped(full_aarch64(), Isa::kNeonI8mm), {Isa::kScalar, Isa::kNeon, Isa::kNeonDot, Isa::kNeonI8mm});
}

TEST(CpuFeatures, ACapOfAnotherArchitectureLeavesTheBaseline) {
  for (const Isa isa : {Isa::kNeon, Isa::kNeonDot, Isa::kNeonI8mm}) {
    expect_levels(capped(full_x86(), isa), {Isa::kScalar});
  }
  for (const Isa isa : {Isa::kSse41, Isa::kAvx2, Isa::kAvx512, Isa::kAvxVnni, Isa::kAvx512Vnni, Isa::kAmxInt8}) {
    expect_levels(capped(full_aarch64(), isa), {Isa::kScalar});
  }
}

TEST(CpuFeatures, TheBestLevelIsTheLastThatRuns) {
  EXPECT_EQ(best_isa(CpuFeatures{}), Isa::kScalar);
  EXPECT_EQ(best_isa(full_x86()), Isa::kAmxInt8);
  EXPECT_EQ(best_isa(capped(full_x86(), Isa::kAvxVnni)), Isa::kAvxVnni);
  EXPECT_EQ(best_isa(full_aarch64()), Isa::kNeonI8mm);
  EXPECT_EQ(best_isa(capped(full_aarch64(), Isa::kNeonDot)), Isa::kNeonDot);
  EXPECT_EQ(best_isa(capped(full_aarch64(), Isa::kNeon)), Isa::kNeon);
}

TEST(CpuFeatures, AHostHasOneArchitecture) {
  const CpuFeatures& host = host_features();
  EXPECT_FALSE(host.model_name.empty());
  EXPECT_FALSE(host.sse41 && host.neon);
  EXPECT_TRUE(!host.neon_i8mm || host.neon_dot);
  EXPECT_TRUE(!host.neon_dot || host.neon);
#if defined(__aarch64__)
  EXPECT_TRUE(host.neon);
#endif
}

}  // namespace
}  // namespace assay
