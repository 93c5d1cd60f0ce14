// SPDX-License-Identifier: Apache-2.0
// CTRF, TAP and GitHub annotations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "reports/ctrf_json.h"
#include "reports/files.h"
#include "reports/github_annotations.h"
#include "reports/junit_xml.h"
#include "reports/summary_md.h"
#include "reports/tap.h"
#include "tests/reports/sample_run.h"

namespace assay::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Ctrf, EveryOutcomeHasAStatusAndTheSumsAgree) {
  const Json report = Json::parse(report_text(start_ctrf_json, test::every_outcome()));
  EXPECT_EQ(report.at("reportFormat"), "CTRF");
  const Json& results = report.at("results");
  std::map<std::string, int> statuses;
  for (const Json& entry : results.at("tests")) {
    ++statuses[entry.at("status").get<std::string>()];
    EXPECT_TRUE(entry.at("duration").is_number_integer());
  }
  const std::map<std::string, int> expected{{"passed", 2}, {"failed", 6}, {"skipped", 1}, {"pending", 1}, {"other", 2}};
  EXPECT_EQ(statuses, expected);
  for (const auto& [status, number] : expected) {
    EXPECT_EQ(results.at("summary").at(status), number);
  }
  EXPECT_EQ(results.at("summary").at("tests"), 12);
  EXPECT_EQ(results.at("summary").at("start"), 1769860800000);
  EXPECT_EQ(results.at("summary").at("stop"), 1769860803500);
  EXPECT_EQ(Json::parse(report_text(start_ctrf_json, RunRecord{})).at("results").at("tests").size(), 0U);
}

TEST(Tap, SaysEveryOutcomeInItsWords) {
  RunRecord run = test::every_outcome();
  run.results[0].name = "a # b \\ c";
  const std::string text = report_text(start_tap, run);
  EXPECT_THAT(text, testing::StartsWith("TAP version 14\n1..12\nok 1 - a \\# b \\\\ c\nnot ok 2 - "
                                        "group/one[runtime.isa=fail]\n  ---\n  outcome: fail\n"));
  EXPECT_THAT(text, HasSubstr("\nnot ok 4 - group/one[runtime.isa=xfail] # TO"
                              "DO expected: because"));
  EXPECT_THAT(text, HasSubstr("\nok 6 - group/one[runtime.isa=skip] # SKIP because"));
  EXPECT_EQ(count(text, "\n  ...\n"), 7U);
  EXPECT_THAT(text, Not(HasSubstr("Bail out!")));
  run.interrupted = true;
  EXPECT_THAT(report_text(start_tap, run), testing::EndsWith("\nBail out! interrupted\n"));
}

TEST(Annotations, AreOnePerKindAndEscaped) {
  RunRecord run;
  run.results = {test::make_result("a,b:c", {{"x", 1}}, Outcome::kFail),
                 test::make_result("a,b:c", {{"x", 2}}, Outcome::kFail),
                 test::make_result("d", Json::object(), Outcome::kWeak)};
  run.results[0].reason = run.results[1].reason = "100 % wrong\nreally";
  const std::string text = report_text(start_github_annotations, run);
  EXPECT_EQ(count(text, "\n"), 2U);
  EXPECT_THAT(
      text, testing::StartsWith("::error file=cases/a%2Cb%3Ac.json,line=1,title=fail a%2Cb%3Ac::a,b:c[x=1]%0A  100 %25 "
                                "wrong\\nreally%0A"));
  EXPECT_THAT(text, HasSubstr("and 1 variants more alike"));
  EXPECT_THAT(text, HasSubstr("\n::warning file=cases/d.json,line=1,title=weak d::d%0A"));
}

TEST(Annotations, StayBelowWhatGitHubShows) {
  RunRecord run;
  for (int i = 0; i < 25; ++i) {
    run.results.push_back(test::make_result("c" + std::to_string(i), Json::object(), Outcome::kFail));
    run.results.back().reason.assign(100'000, i % 2 == 0 ? '%' : 'x');
  }
  const std::string text = report_text(start_github_annotations, run);
  EXPECT_EQ(count(text, "::error "), kMostAnnotations);
  EXPECT_THAT(text, HasSubstr("and 16 variants more"));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, kMostAnnotationBytes);
    begin = end + 1;
  }
  EXPECT_EQ(report_text(start_github_annotations, RunRecord{}), "");
}

// A source that makes results on demand: large runs without their memory.
class Made : public ResultSource {
 public:
  Made(std::size_t size, Outcome outcome, std::size_t text) : size_(size), outcome_(outcome), text_(text) {}
  std::size_t size() const override { return size_; }
  ResultFacts facts(std::size_t index) const override {
    return {.outcome = outcome_, .timed = false, .group = static_cast<std::uint32_t>(index / 50), .duration_s = 0.25};
  }
  VariantResult load(std::size_t index) const override {
    VariantResult result = test::make_result("c" + std::to_string(index / 50), {{"x", index}}, outcome_);
    result.reason = std::string(text_, 'r') + std::to_string(index);
    result.warnings = {std::string(text_, 'w')};
    return result;
  }

 private:
  std::size_t size_;
  Outcome outcome_;
  std::size_t text_;
};

RunRecord made(std::size_t size, Outcome outcome, std::size_t text) {
  RunRecord run;
  run.results = ResultList(std::make_shared<const Made>(size, outcome, text));
  return run;
}

TEST(Limits, JunitStaysBelowWhatGitLabTakes) {
  for (const Outcome outcome : {Outcome::kPass, Outcome::kCrash}) {
    const RunRecord run = made(3000, outcome, 20'000);
    std::size_t bytes = 0;
    std::string last;
    render(start_junit_xml, run, [&](std::string_view piece) {
      bytes += piece.size();
      last = piece;
    });
    EXPECT_LT(bytes, 30'000'000U);
    EXPECT_GT(bytes, 10'000'000U);
    EXPECT_EQ(last, "</testsuites>\n");
  }
}

TEST(Limits, SummaryStaysBelowWhatGitHubTakes) {
  const std::string text = report_text(start_summary_md, made(3000, Outcome::kFail, 10'000));
  EXPECT_LT(text.size(), 1024U * 1024U);
  EXPECT_THAT(text, testing::StartsWith("# assay: fail (exit 1)"));
  EXPECT_THAT(text, HasSubstr("\n## Cases\n"));
}

// A list with a source and one in memory are the same to every renderer.
TEST(Sources, RenderAsListsInMemoryDo) {
  const RunRecord streamed = made(170, Outcome::kFail, 10);
  RunRecord held;
  for (const VariantResult& result : streamed.results) {
    held.results.push_back(result);
  }
  for (const ReportFormat& format : report_formats()) {
    EXPECT_EQ(report_text(format.start, streamed), report_text(format.start, held)) << format.name;
  }
}

}  // namespace
}  // namespace assay::reports
