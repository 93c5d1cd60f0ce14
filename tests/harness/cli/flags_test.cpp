// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/flags.h"

#include <gtest/gtest.h>

#include "harness/cli/terminal.h"

namespace assay::cli {
namespace {

TEST(Flags, SettingsMakeAConfiguration) {
  const Result<spec::Configuration> made =
      configuration_of({"quantizer.relu=drop", "quantizer.per_channel=true"}, "quantizer.");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made.value().text("quantizer.relu"), "drop");
  EXPECT_TRUE(made.value().flag("quantizer.per_channel"));
  for (const char* bad : {"quantizer.rleu=drop", "quantizer.relu", "quantizer.relu=dorp", "runtime.isa=avx2",
                          "quantizer.relu=safe,drop", ""}) {
    EXPECT_FALSE(configuration_of({bad}, "quantizer.").ok()) << bad;
  }
}

TEST(ExitCodes, TellTheUsersFaultsFromOurs) {
  EXPECT_EQ(exit_code_of(invalid_argument("")), 2);
  EXPECT_EQ(exit_code_of(invalid_model("")), 2);
  EXPECT_EQ(exit_code_of(unsupported("")), 2);
  EXPECT_EQ(exit_code_of(io_error("")), 2);
  EXPECT_EQ(exit_code_of(resource_error("")), 4);
  EXPECT_EQ(exit_code_of(internal_error("")), 4);
}

TEST(Color, AskedForBeatsEverything) {
  EXPECT_TRUE(use_color(true));
  EXPECT_FALSE(use_color(false));
}

}  // namespace
}  // namespace assay::cli
