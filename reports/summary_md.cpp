// SPDX-License-Identifier: Apache-2.0
#include "reports/summary_md.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/attention.h"
#include "reports/exit_code.h"
#include "reports/ledger_table.h"
#include "reports/number_text.h"
#include "reports/pivot.h"
#include "reports/saturation_table.h"
#include "reports/timing_table.h"

namespace assay::reports {
namespace {

// GitHub cuts job summaries off at 1 MiB; failures beyond this number are left to results.json.
constexpr std::size_t kMaxFailures = 100;

TextTable case_table(const std::vector<CaseGroup>& groups) {
  TextTable table;
  table.columns = {
      {"case", Align::kLeft}, {"variants", Align::kRight}, {"outcomes", Align::kLeft}, {"s", Align::kRight}};
  for (const CaseGroup& group : groups) {
    std::map<Outcome, std::int64_t> counts;
    double seconds = 0;
    for (const VariantResult* result : group.results) {
      ++counts[result->outcome];
      seconds += result->duration_s;
    }
    table.rows.push_back(
        {group.name, std::to_string(group.results.size()), counts_text(counts), fmt::format("{:.1f}", seconds)});
  }
  return table;
}

// A fence longer than any run of backticks in the text.
std::string fenced(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) {
    fence += '`';
  }
  return fence + "\n" + text + fence + "\n";
}

std::string failures(const RunRecord& run) {
  std::string text;
  std::size_t count = 0;
  for (const AttentionGroup& group : group_attention(run)) {
    const VariantResult& first = *group.results.front();
    if (!is_failure(first.outcome) || ++count > kMaxFailures) {
      continue;
    }
    text += fmt::format("{} {}\n", outcome_name(first.outcome), first.name);
    if (group.results.size() > 1) {
      text += fmt::format("  and {} variants more that fail alike{}\n", group.results.size() - 1, narrowed_text(group));
    }
    text += explanation_text(first);
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

}  // namespace

std::string render_summary_md(const RunRecord& run) {
  const std::vector<CaseGroup> groups = group_by_case(run.results);
  const ExitCode code = exit_code(run);
  std::string text = fmt::format("# assay: {} (exit {})\n\n{} variants of {} cases in {:.1f} s: {}.\n",
                                 code == kExitPass     ? "pass"
                                 : code == kExitFailed ? "fail"
                                                       : "no verdict",
                                 static_cast<int>(code), run.results.size(), groups.size(), run.duration_s,
                                 counts_text(count_outcomes(run.results)));
  if (run.host.contains("cpu")) {
    text += fmt::format("Host: {}, {} cores.\n", value_text(run.host.at("cpu")), run.host.value("cores", 0));
  }
  if (!run.harness_error.empty()) {
    text += "\nThe harness failed: " + run.harness_error + "\n";
  }
  text += failures(run);
  text += "\n## Cases\n\n" + render_markdown(case_table(groups));
  for (const CaseGroup& group : groups) {
    if (group.results.size() > 1) {
      text += "\n### " + group.name + "\n\n" + render_markdown(pivot_table(make_pivot(group)));
    }
    const TextTable ledger = ledger_table(group);
    text += ledger.rows.empty() ? "" : "\n" + ledger.title + "\n\n" + render_markdown(ledger);
    const TextTable saturation = saturation_table(group);
    text += saturation.rows.empty() ? "" : "\n" + saturation.title + "\n\n" + render_markdown(saturation);
  }
  if (has_timing(run)) {
    text += "\n## Timing\n\n" + render_markdown(timing_table(run));
    const TextTable cross = timing_cross_table(run);
    text += cross.rows.empty() ? "" : "\n" + render_markdown(cross);
  }
  return text;
}

}  // namespace assay::reports
