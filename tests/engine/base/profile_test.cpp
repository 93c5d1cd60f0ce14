// SPDX-License-Identifier: Apache-2.0
#include "engine/base/profile.h"

#include <gtest/gtest.h>

#include <set>

namespace assay {
namespace {

TEST(Profile, EveryLevelHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const Isa isa : all_isas()) {
    EXPECT_TRUE(names.insert(isa_name(isa)).second) << isa_name(isa);
    EXPECT_EQ(isa_from_name(isa_name(isa)), isa);
  }
  EXPECT_EQ(names.size(), 10U);
  EXPECT_EQ(isa_name(Isa::kAmxInt8), "amx_int8");
  EXPECT_EQ(isa_name(Isa::kNeon), "neon");
  EXPECT_EQ(isa_name(Isa::kNeonDot), "neon_dot");
  EXPECT_EQ(isa_name(Isa::kNeonI8mm), "neon_i8mm");
  EXPECT_EQ(isa_from_name("auto"), std::nullopt);
}

TEST(Profile, OnlyAvx2AndAvx512SaturateInFast) {
  for (const Isa isa : all_isas()) {
    const bool saturates = isa == Isa::kAvx2 || isa == Isa::kAvx512;
    EXPECT_EQ(u8s8_arithmetic({isa, Precision::kFast}), saturates ? Arithmetic::kSat16Pairs : Arithmetic::kExact)
        << isa_name(isa);
    EXPECT_EQ(u8s8_arithmetic({isa, Precision::kExact}), Arithmetic::kExact) << isa_name(isa);
    EXPECT_EQ(uses_fma(isa), isa != Isa::kSse41) << isa_name(isa);
  }
}

}  // namespace
}  // namespace assay
