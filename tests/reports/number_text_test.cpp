// SPDX-License-Identifier: Apache-2.0
#include "reports/number_text.h"

#include <gtest/gtest.h>

namespace assay::reports {
namespace {

Check some_check(const std::string& detail) {
  Check check;
  check.measured.metric = "max_abs_error";
  check.measured.output = "y";
  check.measured.value = 1;
  check.at_most = 0;
  check.detail = detail;
  check.worst = WorstElement{{0, 2}, 0x1p53, 0x1p53};
  return check;
}

// Digits that double has not are in the detail alone.
TEST(CheckText, NamesTheWorstElementOnce) {
  EXPECT_EQ(check_text(some_check("at [0,2]: 9007199254740993, reference 9007199254740992")),
            "max_abs_error(y) = 1, required at_most 0 (at [0,2]: 9007199254740993, reference 9007199254740992)");
  EXPECT_EQ(check_text(some_check("2 of 9 elements")),
            "max_abs_error(y) = 1, required at_most 0 (2 of 9 elements; worst at [0,2]: 9007199254740992, reference "
            "9007199254740992)");
}

}  // namespace
}  // namespace assay::reports
