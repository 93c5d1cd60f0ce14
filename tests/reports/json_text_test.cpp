// SPDX-License-Identifier: Apache-2.0
#include "reports/json_text.h"

#include <gtest/gtest.h>

#include <string>

#include "reports/results_json.h"
#include "tests/support/peak_memory.h"

namespace assay::reports {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonText, BoundsTheDepth) {
  EXPECT_FALSE(nests_too_deep(nested(kMaxJsonDepth)));
  EXPECT_TRUE(nests_too_deep(nested(kMaxJsonDepth + 1)));
  EXPECT_FALSE(nests_too_deep("[" + std::string(3000, ' ') + R"("[[[\"[{\\", "{")" + nested(kMaxJsonDepth - 1) + "]"));
  std::string wide;
  for (std::size_t i = 0; i < 2 * kMaxJsonDepth; ++i) {
    wide += "{[]}";
  }
  EXPECT_FALSE(nests_too_deep(wide));
  EXPECT_FALSE(parse_json(nested(kMaxJsonDepth)).is_discarded());
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth + 1)).is_discarded());
}

TEST(JsonText, ANulByteIsNotTheEnd) {
  EXPECT_TRUE(parse_json(std::string_view("[1]\0", 4)).is_discarded());
  EXPECT_TRUE(parse_json(std::string_view("\0[1]", 4)).is_discarded());
  EXPECT_TRUE(parse_json("[1] 2").is_discarded());
  EXPECT_EQ(parse_json("[1]"), nlohmann::ordered_json::array({1}));
}

TEST(JsonText, ADamagedTextTakesLittleMemory) {
  const std::string brackets(10'000'000, '[');
  const assay::test::PeakMemory memory;
  EXPECT_TRUE(parse_json(brackets).is_discarded());
  EXPECT_FALSE(parse_results_json(brackets).run);
  EXPECT_LT(memory.growth_kib(), 4096);
}

TEST(JsonText, ResultsSayWhatIsWrong) {
  EXPECT_EQ(parse_results_json(nested(5000)).error, "the document: more than 200 nested lists and objects");
  EXPECT_EQ(parse_results_json(std::string_view("{}\0", 3)).error, "the document: a NUL byte at offset 2");
}

}  // namespace
}  // namespace assay::reports
