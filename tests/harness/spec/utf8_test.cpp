// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/utf8.h"

#include <gtest/gtest.h>

namespace assay::spec {
namespace {

TEST(Utf8, WellFormedTextHasNoBadByte) {
  for (const char* text : {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "a\xC3\xA4z"}) {
    EXPECT_EQ(first_non_utf8(text), std::nullopt) << text;
  }
}

TEST(Utf8, FirstBadByteIsFound) {
  for (const char* bad : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2z", "\xE0\x9F\xBF", "\xE2\x82",
                          "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(first_non_utf8(bad), std::size_t{0});
    EXPECT_EQ(first_non_utf8("a\xC3\xA4" + std::string(bad)), std::size_t{3});
  }
}

TEST(Utf8, MessageNamesWhatByteAndPlace) {
  EXPECT_TRUE(check_utf8("--tag", "ok").ok());
  EXPECT_EQ(check_utf8("--tag", "a\xFF").error().message, "--tag: byte 0xFF at position 1 of 'a\\xFF' is not UTF-8");
}

}  // namespace
}  // namespace assay::spec
