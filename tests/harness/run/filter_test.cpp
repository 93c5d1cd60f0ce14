// SPDX-License-Identifier: Apache-2.0
#include "harness/run/filter.h"

#include <gtest/gtest.h>

namespace assay::run {
namespace {

TEST(Filter, GlobKnowsStarAndQuestionMarkOnly) {
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("a*c", "abbbc"));
  EXPECT_TRUE(glob_matches("*b*b*", "abcb"));
  EXPECT_TRUE(glob_matches("case[isa=avx?,*]", "case[isa=avx2,x=1]"));
  EXPECT_FALSE(glob_matches("case[ab]", "casea"));
  EXPECT_FALSE(glob_matches("a?c", "ac"));
  EXPECT_FALSE(glob_matches("a", "ab"));
  EXPECT_FALSE(glob_matches("*b", "abc"));
}

TEST(Filter, ExactNameSelectsItAlone) {
  const std::vector<std::string> names = {"case", "case[a=1]", "case[a=1,b=2]", "other/case"};
  EXPECT_EQ(select_names(names, {"case"}), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(select_names(names, {"case[a=1]"}), (std::vector<bool>{false, true, false, false}));
}

TEST(Filter, ElsePartOrGlobAndSeveralAreAnyOf) {
  const std::vector<std::string> names = {"case[a=1]", "case[a=2]", "other[a=1]"};
  EXPECT_EQ(select_names(names, {"a=1"}), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(select_names(names, {"case*"}), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(select_names(names, {"a=2", "other"}), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(select_names(names, {}), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(select_names(names, {"none"}), (std::vector<bool>{false, false, false}));
}

// A value with a star in a name: the exact rule comes before the glob rule.
TEST(Filter, ExactNameWithStarIsNoGlob) {
  const std::vector<std::string> names = {"case[op=*]", "case[op=Conv]"};
  EXPECT_EQ(select_names(names, {"case[op=*]"}), (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace assay::run
