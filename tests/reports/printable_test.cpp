// SPDX-License-Identifier: Apache-2.0
#include "reports/printable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/console.h"
#include "reports/github_annotations.h"
#include "reports/renderer.h"
#include "reports/summary_md.h"
#include "reports/tap.h"
#include "reports/xml_text.h"

namespace assay::reports {
namespace {

using testing::HasSubstr;

TEST(Printable, ControlsAreShownAndNothingElseIsChanged) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable(std::string_view("\0\x01\x7f\r", 4)), "\\x00\\x01\\x7f\\x0d");
  EXPECT_EQ(printable("\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0"), "\\x80\\x9b\\x9f\xC2\xA0");
  EXPECT_EQ(printable("line\n\ttab \xC3\xA9\xE2\x82\xAC \\ \xFF\x9F"), "line\n\ttab \xC3\xA9\xE2\x82\xAC \\ \xFF\x9F");
}

TEST(Printable, CharactersThatTurnOrHideTextAreShown) {
  EXPECT_EQ(printable("a\u202Eb\u2028\u2029c\u2066\u2069\u200F\u061C\uFEFF\u200B"),
            "a\\u202eb\\u2028\\u2029c\\u2066\\u2069\\u200f\\u061c\\ufeff\\u200b");
  EXPECT_EQ(printable("\u2014 \u200D \u2070 \u061B \uFEFE"), "\u2014 \u200D \u2070 \u061B \uFEFE");
  EXPECT_EQ(xml_text("<\u202E>"), "&lt;\\u202e&gt;");
}

TEST(OneLine, HasNoLineFeedAndBeginsNoCommand) {
  EXPECT_EQ(one_line("a\nb\tc\x1b"), "a\\nb\\tc\\x1b");
  EXPECT_EQ(one_line("::error::x"), "\\x3a:error::x");
  EXPECT_EQ(one_line("  ::error::x"), "  \\x3a:error::x");
  EXPECT_EQ(one_line("std::string ::x"), "std::string ::x");
  EXPECT_EQ(one_line("a ##[error]x ## [y]"), "a \\x23#[error]x ## [y]");
  EXPECT_EQ(one_line("\xE2\x82\xAC"), "\xE2\x82\xAC");
}

TEST(Printable, OnlyMarksBecomeColours) {
  std::string text;
  const Sink sink = color_sink([&](std::string_view piece) { text += piece; });
  sink(color_mark(31) + "red\x1b[32m" + color_mark(0));
  EXPECT_EQ(text, "\x1b[31mred\\x1b[32m\x1b[0m");
}

// Every byte that a terminal takes for an order; line feeds and tabs are none.
bool has_controls(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F ||
        (byte == 0xC2 && next >= 0x80 && next < 0xA0)) {
      return true;
    }
  }
  return false;
}

RunRecord hostile_run() {
  const std::string text =
      "bad \x1b[2J\x07\x7f\xC2\x9B"
      "31m\r\n::error::owned\n  ##[error]owned";
  RunRecord run;
  run.command = text;
  run.harness_error = text;
  run.host = {{"cpu", text}, {"cores", 2}};
  for (const Outcome outcome : {Outcome::kFail, Outcome::kXfail, Outcome::kXpass, Outcome::kCrash, Outcome::kSkip,
                                Outcome::kInconclusive, Outcome::kWeak, Outcome::kInvalid}) {
    VariantResult result;
    result.case_name = "case" + text;
    result.case_file = text + ".json";
    result.name = result.case_name + std::string(outcome_name(outcome));
    result.variant = Json{{"runtime.name", text}};
    result.outcome = outcome;
    result.reason = text;
    result.cause = text;
    result.rerun = text;
    result.warnings = {text};
    Check check;
    check.measured.metric = "max_abs_error";
    check.measured.output = text;
    check.at_most = 0;
    check.detail = text;
    result.checks = {check};
    result.ledger = {{.part = "total", .output = text}};
    result.saturation = {{.node = text, .pairs = 2, .saturated = 1, .largest_loss = 5, .samples = 1}};
    result.timing = Timing{.samples_ns = {1, 2}, .note = text};
    run.results.push_back(result);
  }
  return run;
}

// Whether a line is a command to GitHub's runner, which looks behind leading spaces, and for its older form anywhere.
bool has_command(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    const std::size_t first = line.find_first_not_of(" \t");
    if (line.find("##[") != std::string::npos || (first != std::string::npos && line.compare(first, 2, "::") == 0)) {
      return true;
    }
    if (text.find('\n', begin) == std::string::npos) {
      break;
    }
  }
  return false;
}

TEST(Printable, NoTextOfARecordBeginsALine) {
  const RunRecord run = hostile_run();
  for (const bool verbose : {false, true}) {
    const std::string text = rendered(render_console, run, ConsoleOptions{.color = false, .verbose = verbose});
    EXPECT_FALSE(has_command(text)) << text;
    EXPECT_THAT(text, HasSubstr("\\x0d\\n::error::owned"));
  }
  EXPECT_FALSE(has_command(report_text(start_summary_md, run)));
  EXPECT_FALSE(has_command(report_text(start_tap, run)));
  const std::string annotations = report_text(start_github_annotations, run);
  EXPECT_THAT(annotations, testing::Not(HasSubstr("\n::error::owned")));
}

TEST(Printable, NoControlOfARecordLeavesARenderer) {
  const RunRecord run = hostile_run();
  for (const bool verbose : {false, true}) {
    const std::string text = rendered(render_console, run, ConsoleOptions{.color = false, .verbose = verbose});
    EXPECT_FALSE(has_controls(text)) << text;
    EXPECT_THAT(text, HasSubstr("\\x1b[2J\\x07\\x7f\\x9b31m"));
  }
  for (const StartRenderer start : {start_tap, start_summary_md, start_github_annotations}) {
    const std::string text = report_text(start, run);
    EXPECT_FALSE(has_controls(text)) << text;
    EXPECT_THAT(text, HasSubstr("x1b[2J"));
  }
}

}  // namespace
}  // namespace assay::reports
