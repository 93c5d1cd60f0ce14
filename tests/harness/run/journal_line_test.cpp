// SPDX-License-Identifier: Apache-2.0
#include "harness/run/journal_line.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/results_json.h"

namespace assay::run {
namespace {

using reports::Json;

reports::VariantResult some_result() {
  reports::VariantResult result;
  result.case_name = "c";
  result.name = "c[runtime.isa=avx2]";
  result.outcome = reports::Outcome::kPass;
  result.reason = "a\nb \xC3\xA9";
  return result;
}

TEST(JournalLine, IsOneLineOfJsonThatIsReadBack) {
  const Json maker = {{"assay", "1.0"}};
  const std::string line = journal_line(some_result(), maker);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const Json json = Json::parse(line);
  EXPECT_EQ(json.at("outcome"), "pass");
  EXPECT_EQ(json.at("made_by"), maker);
  const std::optional<JournalEntry> entry = read_journal_line(line);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->result.name, some_result().name);
  EXPECT_EQ(entry->result.reason, some_result().reason);
  EXPECT_EQ(entry->made_by, maker);
  EXPECT_TRUE(read_journal_line(journal_line(some_result(), {}))->made_by.is_null());
}

TEST(JournalLine, NothingItSaysCanBeChangedUnnoticed) {
  const Json maker = {{"assay", "1.0"}};
  const std::string line = journal_line(some_result(), maker);
  EXPECT_FALSE(read_journal_line(line.substr(0, line.rfind(",\"digest")) + "}\n")) << "a line without its digest";
  for (std::size_t i = 0; i < line.size(); ++i) {
    for (const int change : {1, 2, 0x20}) {
      std::string altered = line;
      altered[i] = static_cast<char>(altered[i] ^ change);
      EXPECT_FALSE(read_journal_line(altered)) << i << ": " << altered;
    }
    EXPECT_FALSE(read_journal_line(line.substr(0, i))) << i;
    EXPECT_FALSE(read_journal_line(line.substr(i + 1))) << i;
  }
}

TEST(JournalLine, ALineOfAnEarlierVersionIsRead) {
  const std::string line = reports::result_to_json(some_result()).dump() + "\n";
  const std::optional<JournalEntry> entry = read_journal_line(line);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->result.name, some_result().name);
  EXPECT_TRUE(entry->made_by.is_null());
}

TEST(JournalLine, WhatIsNoneIsRefused) {
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string(10'000'000, '[') + "\n", std::string("{\"name\":\"x\"}\n")}) {
    EXPECT_FALSE(read_journal_line(text));
  }
}

}  // namespace
}  // namespace assay::run
