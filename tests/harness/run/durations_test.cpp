// SPDX-License-Identifier: Apache-2.0
#include "harness/run/durations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::run {
namespace {

Durations three() {
  return Durations::parse(R"({"schema_version": 1, "durations_s": {"a": [1, 9, 2], "b": [4], "c": []}})").value();
}

TEST(Durations, CostIsTheMedianAndOfUnknownOnesTheTypicalOne) {
  const Durations durations = three();
  EXPECT_EQ(durations.cost_s("a"), 2);
  EXPECT_EQ(durations.cost_s("b"), 4);
  EXPECT_EQ(durations.cost_s("c"), 3);  // of a and b
  EXPECT_EQ(durations.cost_s("unknown"), 3);
  EXPECT_EQ(Durations().cost_s("unknown"), 1);
}

TEST(Durations, TimeoutHasAFloorAndACeiling) {
  const Durations durations = three();
  EXPECT_EQ(durations.timeout_s("a", 10, 5, 120), 20);
  EXPECT_EQ(durations.timeout_s("a", 10, 30, 120), 30);
  EXPECT_EQ(durations.timeout_s("a", 100, 5, 120), 120);
  EXPECT_EQ(durations.timeout_s("unknown", 10, 5, 120), 120);
}

TEST(Durations, WrongFilesAreRefused) {
  for (const char* text : {"", "[]", "{}", R"({"schema_version": 2, "durations_s": {}})", R"({"durations_s": {}})",
                           R"({"schema_version": 1})", R"({"schema_version": 1, "durations_s": {"a": ["x"]}})",
                           R"({"schema_version": 1, "durations_s": {"a": [-1]}})"}) {
    EXPECT_FALSE(Durations::parse(text).ok()) << text;
  }
}

TEST(Durations, AreWrittenWithWhatWasKnown) {
  std::string text;
  const auto visit = [](const DurationVisitor& variant) {
    variant("a", 3);
    variant("b", -1);  // did not end by itself
    variant("new \"one\"", 0.5);
    variant("d", -1);
  };
  write_durations(three(), visit, [&](std::string_view piece) { text += piece; });
  const Durations written = Durations::parse(text).value();
  EXPECT_THAT(written.of("a"), testing::ElementsAre(1, 9, 2, 3));
  EXPECT_THAT(written.of("b"), testing::ElementsAre(4));
  EXPECT_THAT(written.of("new \"one\""), testing::ElementsAre(0.5F));
  EXPECT_TRUE(written.of("d").empty());
  EXPECT_EQ(text.find("\"d\""), std::string::npos);
}

// What a run that took `seconds` makes of the text of the run before.
std::string text_after(const std::string& before, double seconds) {
  const Durations known = Durations::parse(before).value();
  std::string text;
  write_durations(
      known, [&](const DurationVisitor& variant) { variant("a", seconds); },
      [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(Durations, OnlyTheLastFewAreKept) {
  std::string text = R"({"schema_version": 1, "durations_s": {}})";
  for (int run = 1; run <= 12; ++run) {
    text = text_after(text, run);
  }
  const Durations durations = Durations::parse(text).value();
  EXPECT_THAT(durations.of("a"), testing::ElementsAre(4, 5, 6, 7, 8, 9, 10, 11, 12));
}

TEST(Durations, NothingIsAFileToo) {
  std::string text;
  write_durations(
      {}, [](const DurationVisitor&) {}, [&](std::string_view piece) { text += piece; });
  EXPECT_TRUE(Durations::parse(text).value().empty());
}

}  // namespace
}  // namespace assay::run
