// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/text.h"

#include <gtest/gtest.h>

namespace assay::onnx {
namespace {

TEST(Text, KnowsUtf8) {
  for (const char* good :
       {"", "conv1", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad : {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF0\x80\x80\xAF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "a\xFFz", "\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(bad)) << printable(bad);
  }
}

TEST(Text, ShowsBytes) {
  EXPECT_EQ(printable("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(printable("caf\xE9"), "caf\\xE9");
  const std::string cut = printable(std::string(200, 'a'));
  EXPECT_EQ(cut.size(), 123U);
  EXPECT_EQ(cut.find_first_not_of('a'), 120U);
  EXPECT_TRUE(cut.ends_with("a..."));
}

}  // namespace
}  // namespace assay::onnx
