// SPDX-License-Identifier: Apache-2.0
#include "reports/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace assay::reports {
namespace {

using testing::ElementsAre;

TEST(WrappedLines, PartAtSpacesAndKeepLongWordsWhole) {
  EXPECT_THAT(wrapped_lines("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped_lines("one two three", 100), ElementsAre("one two three"));
  EXPECT_THAT(wrapped_lines("a quantizer.activation_symmetric b", 8),
              ElementsAre("a", "quantizer.activation_symmetric", "b"));
  EXPECT_THAT(wrapped_lines("", 5), ElementsAre(""));
  EXPECT_THAT(wrapped_lines("\xC3\xA4\xC3\xA4 \xC3\xA4", 4), ElementsAre("\xC3\xA4\xC3\xA4 \xC3\xA4"));  // characters
}

TEST(WrappedTable, IsAsWideAsAskedAndGoesOnInRowsOfItsOwn) {
  const TextTable table{.title = "",
                        .columns = {{"kind"}, {"meaning"}},
                        .rows = {{"axis", "what is meant by it at some length"}, {"pass", "short"}}};
  EXPECT_EQ(render_plain(with_wrapped_last_column(table, 24)),
            "kind  meaning\n"
            "-----------------------\n"
            "axis  what is meant by\n"
            "      it at some length\n"
            "pass  short\n");
  // Where the first columns leave little room, the last has a third all the same, and nothing is cut.
  std::istringstream words("what is meant by it at some length");
  const std::string narrow = render_plain(with_wrapped_last_column(table, 6));
  for (std::string word; words >> word;) {
    EXPECT_NE(narrow.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace assay::reports
