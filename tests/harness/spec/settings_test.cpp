// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/settings.h"

#include <gmock/gmock.h>

namespace assay::spec {
namespace {

TEST(Settings, AnAxisIsGivenOnce) {
  std::vector<Setting> settings;
  EXPECT_TRUE(add_setting("runtime.isa=avx2,scalar", settings).ok());
  EXPECT_TRUE(add_setting("runtime.threads=2", settings).ok());
  const Status again = add_setting("runtime.isa=sse41", settings);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(again.error().message,
            "--set runtime.isa=sse41: runtime.isa is given twice, before as runtime.isa=avx2,scalar");
  EXPECT_FALSE(add_setting("runtime.threads=2", settings).ok());  // nor with the same value
  EXPECT_FALSE(add_setting("runtime", settings).ok());
  ASSERT_EQ(settings.size(), 2U);
  EXPECT_EQ(settings[1].axis, "runtime.threads");
}

}  // namespace
}  // namespace assay::spec
