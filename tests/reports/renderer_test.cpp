// SPDX-License-Identifier: Apache-2.0
// All reports of a run come of one reading of its results.
#include "reports/renderer.h"

#include <gtest/gtest.h>

#include <deque>

#include "reports/files.h"
#include "tests/reports/sample_run.h"

namespace assay::reports {
namespace {

// Results that are loaded one at a time, as from a journal.
class Loaded : public ResultSource {
 public:
  explicit Loaded(const RunRecord& run) : run_(run), loads(run.results.size()) {}
  std::size_t size() const override { return run_.results.size(); }
  ResultFacts facts(std::size_t index) const override {
    ResultFacts facts = run_.results.facts(index);
    facts.timed = false;  // timing tables are made of a reading of their own
    facts.group = run_.results[index].case_name == run_.results[0].case_name ? 0 : 1;
    return facts;
  }
  VariantResult load(std::size_t index) const override {
    ++loads[index];
    return run_.results[index];
  }

 private:
  const RunRecord run_;

 public:
  mutable std::vector<int> loads;
};

TEST(Renderer, OneReadingServesEveryFile) {
  RunRecord whole = test::every_outcome();
  for (std::size_t i = 0; i < whole.results.size(); ++i) {
    whole.results[i].timing.reset();
  }
  RunRecord run = whole;
  const auto source = std::make_shared<Loaded>(whole);
  run.results = ResultList(source);
  std::deque<std::string> texts;
  std::vector<std::unique_ptr<Renderer>> renderers;
  for (const ReportFile& file : report_files()) {
    std::string& text = texts.emplace_back();
    renderers.push_back(file.start(run, [&text](std::string_view piece) { text += piece; }));
  }
  feed(run.results, renderers);
  EXPECT_EQ(source->loads, std::vector<int>(whole.results.size(), 1));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i], report_text(report_files()[i].start, whole)) << report_files()[i].name;
    EXPECT_NE(texts[i], "") << report_files()[i].name;
  }
}

}  // namespace
}  // namespace assay::reports
