// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "harness/spec/case.h"

namespace assay::spec {
namespace {

TEST(Tier, NamesAndTiersAgree) {
  EXPECT_EQ(tier_names(), (std::vector<std::string>{"smoke", "nightly", "weekly"}));
  for (const std::string& name : tier_names()) {
    EXPECT_EQ(tier_name(tier_of_name(name).value()), name);
  }
  EXPECT_EQ(tier_of_name("daily"), std::nullopt);
  EXPECT_LT(Tier::kSmoke, Tier::kNightly);
  EXPECT_LT(Tier::kNightly, Tier::kWeekly);
}

}  // namespace
}  // namespace assay::spec
