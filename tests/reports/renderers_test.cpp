// SPDX-License-Identifier: Apache-2.0
// What every file of a report must say, and must survive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reports/console.h"
#include "reports/files.h"
#include "reports/junit_xml.h"
#include "reports/number_text.h"
#include "reports/report_html.h"
#include "reports/saturation_table.h"
#include "reports/summary_md.h"
#include "reports/svg.h"
#include "reports/timing_table.h"
#include "reports/xml_text.h"
#include "tests/reports/sample_run.h"

namespace assay::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

TEST(Renderers, SurviveAnEmptyRun) {
  for (const ReportFile& file : report_files()) {
    EXPECT_NE(report_text(file.start, RunRecord{}), "") << file.name;
  }
  EXPECT_THAT(rendered(render_console, RunRecord{}, ConsoleOptions{}), HasSubstr("nothing selected (exit 5)"));
}

TEST(Renderers, EveryFileHasItsOwnName) {
  std::set<std::string_view> names;
  for (const ReportFile& file : report_files()) {
    EXPECT_TRUE(names.insert(file.name).second) << file.name;
  }
  for (const char* name :
       {"results.json", "verdict.json", "junit.xml", "summary.md", "timing.csv", "benchmark.json", "report.html"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(XmlText, EscapesAndReplacesWhatXmlCannotHold) {
  EXPECT_EQ(xml_text("a<b>&\"c\"'"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;");
  EXPECT_EQ(xml_text(std::string("\x01\x7f\t\n\0z", 6)), "?\x7f\t\n?z");
  EXPECT_EQ(xml_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(xml_text("\xff\xc3"), "??");
  EXPECT_EQ(xml_text("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(xml_text("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(xml_text("\xef\xbf\xbf"), "???");       // U+FFFF
  EXPECT_EQ(xml_text("\xf5\x80\x80\x80"), "????");  // beyond U+10FFFF
}

TEST(Junit, PutsEachOutcomeInItsElement) {
  const std::string xml = report_text(start_junit_xml, test::every_outcome());
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"group/one\" tests=\"11\" failures=\"2\" errors=\"4\" skipped=\"3\""));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"group/two\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"assay\" tests=\"12\" failures=\"3\" errors=\"4\""));
  EXPECT_EQ(count(xml, "<failure "), 3U);
  EXPECT_EQ(count(xml, "<error "), 4U);
  EXPECT_EQ(count(xml, "<skipped "), 3U);
  EXPECT_EQ(count(xml, "<testcase "), 12U);
  EXPECT_THAT(xml, HasSubstr("hostname=\"box&lt;1&gt;\""));
  EXPECT_THAT(xml, HasSubstr("timestamp=\"2026-01-31T12:00:00\""));
  EXPECT_THAT(xml, HasSubstr("rerun: assay run cases/group/two.json"));
  EXPECT_THAT(xml, Not(HasSubstr("\x01")));
}

TEST(Console, ShowsFailuresInFullAndPassesAsCounts) {
  const std::string text = rendered(render_console, test::every_outcome(), ConsoleOptions{});
  EXPECT_THAT(text, HasSubstr("FAIL group/two[quantizer.relu=drop,quantizer.per_channel=true]\n"));
  EXPECT_THAT(text, HasSubstr("  max_abs_error(y) = inf, required at_most 0.5\n"));
  EXPECT_THAT(text, HasSubstr("  rmse(y) = nan, required at_most 0.5\n"));
  EXPECT_THAT(text, Not(HasSubstr("mean_abs_error")));
  EXPECT_THAT(text, HasSubstr("  rerun: assay run cases/group/two.json --filter "
                              "'group/two[quantizer.relu=drop,quantizer.per_channel=true]'\n"));
  for (const char* word : {"XPASS", "INVALID", "CRASH", "TIMEOUT", "INCONCLUSIVE", "WEAK", "SKIP"}) {
    EXPECT_THAT(text, HasSubstr(std::string(word) + " group/one[")) << word;
  }
  EXPECT_THAT(text, Not(HasSubstr("isa=pass]")));
  EXPECT_THAT(text, HasSubstr("XFAIL group/one: 1 variant"));
  EXPECT_THAT(text, HasSubstr("12 variants of 2 cases in 3.5 s: 1 pass, 2 fail,"));
  EXPECT_THAT(text, HasSubstr("fail (exit 1)\n"));
}

TEST(Console, ColorsOnlyWhenAsked) {
  EXPECT_THAT(rendered(render_console, test::every_outcome(), ConsoleOptions{}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(rendered(render_console, test::every_outcome(), ConsoleOptions{.color = true, .verbose = false}),
              HasSubstr("\x1b[31m"));
}

TEST(Console, VerboseListsEveryVariant) {
  const std::string text =
      rendered(render_console, test::every_outcome(), ConsoleOptions{.color = false, .verbose = true});
  EXPECT_THAT(text, HasSubstr("  pass         group/one[runtime.isa=pass]\n"));
  EXPECT_THAT(text, HasSubstr("group/two: saturated pairs"));
}

TEST(Summary, IsMarkdownWithFailuresFenced) {
  const std::string text = report_text(start_summary_md, test::every_outcome());
  EXPECT_THAT(text, HasSubstr("# assay: fail (exit 1)"));
  EXPECT_THAT(text, HasSubstr("| case | variants | outcomes | s |\n| --- | ---: | --- | ---: |\n"));
  EXPECT_THAT(text, HasSubstr("fail group/two[quantizer.relu=drop,quantizer.per_channel=true]"));
  EXPECT_THAT(text, HasSubstr("## Timing"));
}

TEST(Summary, FenceIsLongerThanAnyInside) {
  RunRecord run = test::every_outcome();
  run.results.back().reason = "has ``` and ````";
  EXPECT_THAT(report_text(start_summary_md, run), HasSubstr("\n`````\n"));
}

TEST(Timing, TableHasSpeedupAndFloatRatio) {
  const TextTable table = timing_table(test::every_outcome());
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0],
            (std::vector<std::string>{"group/two", "as stated", "1.500 us", "[1.350, 1.800] us", "1.770 us", "-",
                                      "15.0", "3", "1.350 us", "-", "-", "1333.33", "2.00", "1.50 [1.25, 1.75]",
                                      "[quantizer.relu=safe]; a note, with \"quotes\""}));
}

TEST(Timing, TableShowsWhatTheMachineDid) {
  RunRecord run = test::every_outcome();
  run.results.back().timing->p99_ns = 1790;
  run.results.back().timing->load = 1.25;
  run.results.back().timing->mhz = 3400.4;
  const std::vector<std::string> row = timing_table(run).rows.at(0);
  EXPECT_EQ(row.at(5), "1.790 us");
  EXPECT_EQ(row.at(9), "1.2");
  EXPECT_EQ(row.at(10), "3400");
}

TEST(Timing, CsvQuotesFieldsAndKeepsTheirNumber) {
  const std::string csv = report_text(start_timing_csv, test::every_outcome());
  const std::size_t end = csv.find('\n');
  const std::string header = csv.substr(0, end);
  const std::string line = csv.substr(end + 1);
  EXPECT_THAT(line,
              HasSubstr("\"group/two[quantizer.relu=drop,quantizer.per_channel=true]\",1500,1350,1800,1770,0.15,3,"
                        "40,1,2000000,1333.33,3000,group/two[quantizer.relu=safe],1.5,1.25,1.75,6,2,fail,"
                        "\"a note, with \"\"quotes\"\"\",,,\n"));
  RunRecord run;
  run.results = {test::make_result("c", Json::object(), Outcome::kPass)};
  run.results[0].timing = Timing{};
  run.results[0].timing->note = "emulated";
  const std::string untimed = report_text(start_timing_csv, run).substr(end + 1);
  EXPECT_EQ(count(untimed, ","), count(header, ","));
}

TEST(Timing, CrossTableNeedsTwoNetworks) {
  RunRecord run;
  const auto add = [&](const char* name, const char* isa, double median_ns) {
    run.results.push_back(test::make_result(
        name, {{"runtime.isa", isa}, {"runtime.threads", std::string(name) == "a" ? 1 : 2}}, Outcome::kPass));
    run.results.back().timing = test::make_timing(median_ns);
  };
  add("a", "scalar", 2000);
  add("a", "avx2", 1000);
  EXPECT_TRUE(timing_cross_table(run).rows.empty());
  add("b", "avx2", 2e6);
  add("b", "avx512", 1e6);
  run.results[3].timing->speedup = 2;
  // Axes of one value in their case do not keep the networks' configurations apart.
  EXPECT_EQ(
      timing_cross_table(run).rows,
      (std::vector<std::vector<std::string>>{
          {"isa=scalar", "2.000 us", ""}, {"isa=avx2", "1.000 us", "2.000 ms"}, {"isa=avx512", "", "1.000 ms x2.00"}}));
}

TEST(Timing, BenchmarkJsonHasIterationsAndAggregates) {
  const Json json = Json::parse(report_text(start_benchmark_json, test::every_outcome()));
  ASSERT_EQ(json.at("benchmarks").size(), 3U + 4U);
  EXPECT_EQ(json.at("benchmarks")[0].at("run_type"), "iteration");
  EXPECT_EQ(json.at("benchmarks")[0].at("cpu_time"), 1200);
  const Json& median = json.at("benchmarks")[4];
  EXPECT_EQ(median.at("aggregate_name"), "median");
  EXPECT_EQ(median.at("real_time"), 1500);
  EXPECT_EQ(median.at("cpu_time"), 1350);
  EXPECT_EQ(json.at("context").at("num_cpus"), 2);
}

TEST(Saturation, EqualConfigurationsShareRows) {
  RunRecord run = test::every_outcome();
  run.results.push_back(run.results.back());
  const TextTable table = saturation_table(group_by_case(run.results).back());
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"relu=drop per_channel=true (and 1 alike)", "conv|1", "2.5000",
                                                     "1000", "777", "2 of 8, most in 3", "12.5", "64"}));
}

TEST(Saturation, NamesVariedAxesOnTheFirstRowOfAConfiguration) {
  RunRecord run;
  for (const char* isa : {"avx2", "scalar"}) {
    run.results.push_back(test::make_result("c", {{"runtime.batch", 50}, {"runtime.isa", isa}}, Outcome::kPass));
  }
  run.results[0].saturation = {{.node = "a", .pairs = 100, .saturated = 5},
                               {.node = "b", .pairs = 100},
                               {.node = "c", .pairs = 100, .saturated = 1}};
  const TextTable table = saturation_table(group_by_case(run.results).front());
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][0], "isa=avx2");
  EXPECT_EQ(table.rows[1][0], "");
  EXPECT_EQ(table.rows[1][1], "c");
}

TEST(Pictures, EscapeTextAndDrawEveryRow) {
  const std::string svg = report_text(start_report_svg, test::every_outcome());
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_EQ(count(svg, "<text "), count(svg, "</text>"));
  EXPECT_THAT(svg, HasSubstr(">group/two</text>"));
}

TEST(Html, IsOneFileWithFiltersAndEscapedText) {
  const std::string html = report_text(start_report_html, test::every_outcome());
  EXPECT_THAT(html, HasSubstr("<input type=\"checkbox\" value=\"xpass\" checked>"));
  EXPECT_THAT(html, HasSubstr("because &lt;fail&gt; &amp; ? ? ]]&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("<fail>")));
  EXPECT_EQ(count(html, "<tr data-outcome="), 12U);
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_THAT(html, Not(HasSubstr("<link")));
}

TEST(Numbers, TextsCarryTheirUnit) {
  EXPECT_EQ(time_text(0.5), "0.500 ns");
  EXPECT_EQ(time_text(999), "999.000 ns");
  EXPECT_EQ(time_text(1000), "1.000 us");
  EXPECT_EQ(time_text(2.5e9), "2.500 s");
  EXPECT_EQ(percent_text(0.12345), "12.35 %");
  EXPECT_EQ(number_text(1234567.0), "1.23457e+06");
  Check both = test::make_check("sqnr_db", 12, 40, false);
  both.at_least = 20;
  both.parameters = {{"k", 5}};
  EXPECT_EQ(check_text(both), "sqnr_db(y, k=5) = 12, required at_least 20 and at_most 40");
  both.worst = WorstElement{{0, 3}, 1.5, -2};
  both.would_pass = {{"at_least", 12}};
  EXPECT_EQ(check_text(both),
            "sqnr_db(y, k=5) = 12, required at_least 20 and at_most 40 (worst at [0,3]: 1.5, reference -2; would pass "
            "with at_least 12)");
  both.would_pass = {{"at_least", 12}, {"at_most", 50}, {"quantile", 0.1}};
  both.detail = "at [0,3]: 1.5, reference -2";
  both.passed = true;
  EXPECT_EQ(
      check_text(both),
      "sqnr_db(y, k=5) = 12 within at_least 20 and at_most 40 (at [0,3]: 1.5, reference -2; would still pass with "
      "at_least 12 and at_most 50 or quantile 0.1)");
}

}  // namespace
}  // namespace assay::reports
