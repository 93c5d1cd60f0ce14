// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/sanitized_name.h"

#include <gtest/gtest.h>

namespace assay::spec {
namespace {

TEST(SanitizedName, KeepsLettersDigitsAndThreeSigns) {
  EXPECT_EQ(sanitized_name("aZ09_.-"), "aZ09_.-");
  EXPECT_EQ(sanitized_name("y/out:0 [x]"), "y_out_0__x_");
  EXPECT_EQ(sanitized_name("\xc3\xa9"), "__");
  EXPECT_EQ(sanitized_name("../up"), ".._up");
}

}  // namespace
}  // namespace assay::spec
