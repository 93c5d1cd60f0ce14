// SPDX-License-Identifier: Apache-2.0
#include "reports/summary_md.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/attention.h"
#include "reports/exit_code.h"
#include "reports/ledger_table.h"
#include "reports/markdown_text.h"
#include "reports/number_text.h"
#include "reports/pivot.h"
#include "reports/printable.h"
#include "reports/saturation_table.h"
#include "reports/timing_table.h"

namespace assay::reports {
namespace {

// GitHub refuses a job summary of more than 1 MiB. The verdict and the failures come first; what does not fit below
// this is left out with a note.
constexpr std::size_t kMaxBytes = 1'000'000;
constexpr std::size_t kMaxSectionsBytes = 300'000;
constexpr std::size_t kMaxCaseRows = 2000;
constexpr std::size_t kMaxFailures = 100;  // kinds
constexpr std::size_t kMaxFailuresBytes = 400'000;

void add_row(TextTable& table, const CaseGroup& group) {
  std::map<Outcome, std::int64_t> counts;
  double seconds = 0;
  for (const VariantResult* result : group.results) {
    ++counts[result->outcome];
    seconds += result->duration_s;
  }
  table.rows.push_back(
      {group.name, std::to_string(group.results.size()), counts_text(counts), fmt::format("{:.1f}", seconds)});
}

// A fence longer than any run of backticks in the text.
std::string fenced(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) {
    fence += '`';
  }
  return fence + "\n" + text + fence + "\n";
}

std::string failures(const AttentionList& list) {
  std::string text;
  std::size_t count = 0;
  for (const AttentionGroup& group : list.groups) {
    const VariantResult& first = group.first;
    if (!is_failure(first.outcome) || ++count > kMaxFailures) {
      continue;
    }
    std::string part = fmt::format("{} {}\n", outcome_name(first.outcome), one_line(first.name));
    if (group.count > 1) {
      part += fmt::format("  and {} variants more that fail alike{}\n", group.count - 1, narrowed_text(group));
    }
    part += explanation_text(first);
    if (text.size() + part.size() > kMaxFailuresBytes) {
      part = fmt::format("{} {}: see results.json\n", outcome_name(first.outcome), one_line(first.case_name));
    }
    text += part;
  }
  if (text.empty()) {
    return "";
  }
  std::string section = "\n## Failures\n\n" + fenced(text);
  if (count > kMaxFailures) {
    section += fmt::format("\n{} more kinds are in results.json.\n", count - kMaxFailures);
  }
  return section;
}

std::string head(const RunRecord& run) {
  const ExitCode code = exit_code(run);
  std::string text = fmt::format("# assay: {} (exit {})\n\n{} variants of {} cases in {:.1f} s: {}.\n",
                                 verdict_text(code), static_cast<int>(code), run.results.size(),
                                 case_count(run.results), run.duration_s, counts_text(count_outcomes(run.results)));
  if (run.host.contains("cpu")) {
    text +=
        fmt::format("Host: {}, {} cores.\n", markdown_text(value_text(run.host.at("cpu"))), run.host.value("cores", 0));
  }
  if (!run.harness_error.empty()) {
    text += "\nThe harness failed: " + markdown_text(run.harness_error) + "\n";
  }
  return text;
}

std::string timing_section(const RunRecord& run) {
  if (!has_timing(run.results)) {
    return "";
  }
  const TextTable cross = timing_cross_table(run);
  return "\n## Timing\n\n" + render_markdown(timing_table(run)) +
         (cross.rows.empty() ? "" : "\n" + render_markdown(cross));
}

std::string case_section(const CaseGroup& group) {
  std::string text;
  if (group.results.size() > 1) {
    text += "\n### " + markdown_text(group.name) + "\n\n" + render_markdown(pivot_table(make_pivot(group)));
  }
  const TextTable ledger = ledger_table(group);
  text += ledger.rows.empty() ? "" : "\n" + markdown_text(ledger.title) + "\n\n" + render_markdown(ledger);
  const TextTable saturation = saturation_table(group);
  text += saturation.rows.empty() ? "" : "\n" + markdown_text(saturation.title) + "\n\n" + render_markdown(saturation);
  return text;
}

class SummaryMd : public Renderer {
 public:
  SummaryMd(const RunRecord& run, const Sink& sink) : run_(run), sink_(sink) {
    cases_.columns = {
        {"case", Align::kLeft}, {"variants", Align::kRight}, {"outcomes", Align::kLeft}, {"s", Align::kRight}};
  }

  void take(const CaseGroup& group) override {
    attention_.take(group);
    if (cases_.rows.size() < kMaxCaseRows) {
      add_row(cases_, group);
    } else {
      ++cases_left_out_;
    }
    const std::string section = case_section(group);
    if (sections_.size() + section.size() <= kMaxSectionsBytes) {
      sections_ += section;
    } else {
      ++left_out_;
    }
  }

  void finish() override {
    put(head(run_));
    put(failures(attention_.list()));
    put("\n## Cases\n\n" + render_markdown(cases_));
    if (cases_left_out_ > 0) {
      put(fmt::format("\nand {} cases more.\n", cases_left_out_));
    }
    put(sections_);
    put(timing_section(run_));
    if (left_out_ > 0) {
      sink_("\nSome tables are left out for their size; report.html has them.\n");
    }
  }

 private:
  void put(const std::string& raw) {
    const std::string section = printable(raw);
    if (bytes_ + section.size() > kMaxBytes) {
      ++left_out_;
      return;
    }
    bytes_ += section.size();
    sink_(section);
  }

  const RunRecord& run_;
  Sink sink_;
  AttentionCollector attention_ = attention_collector();
  TextTable cases_;
  std::size_t cases_left_out_ = 0;
  std::string sections_;
  std::size_t left_out_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Renderer> start_summary_md(const RunRecord& run, const Sink& sink) {
  return std::make_unique<SummaryMd>(run, sink);
}

}  // namespace assay::reports
