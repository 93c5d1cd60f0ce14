// SPDX-License-Identifier: Apache-2.0
#include "reports/console.h"

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

std::string painted(const std::string& text, Outcome outcome, bool color) {
  if (!color) {
    return text;
  }
  const bool good = outcome == Outcome::kPass || outcome == Outcome::kXfail;
  const char* code = is_failure(outcome) ? "31" : good ? "32" : "33";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string painted_counts(const std::map<Outcome, std::int64_t>& counts, bool color) {
  std::string text;
  for (const auto& [outcome, count] : counts) {
    text += (text.empty() ? "" : ", ") + painted(fmt::format("{} {}", count, outcome_name(outcome)), outcome, color);
  }
  return text.empty() ? "none" : text;
}

std::string case_lines(const RunRecord& run, const std::vector<CaseGroup>& groups, const ConsoleOptions& options) {
  std::size_t width = 0;
  for (const CaseGroup& group : groups) {
    width = std::max(width, group.name.size());
  }
  std::string text;
  for (const CaseGroup& group : groups) {
    std::map<Outcome, std::int64_t> counts;
    double seconds = 0;
    for (const VariantResult* result : group.results) {
      ++counts[result->outcome];
      seconds += result->duration_s;
    }
    text += fmt::format("{:<{}}  {:>4} variant{}  {}  ({:.1f} s)\n", group.name, width, group.results.size(),
                        group.results.size() == 1 ? ": " : "s:", painted_counts(counts, options.color), seconds);
    for (const VariantResult* result : group.results) {
      if (options.verbose) {
        text += fmt::format(
            "  {} {}\n", painted(fmt::format("{:<12}", outcome_name(result->outcome)), result->outcome, options.color),
            result->name);
        for (const Check& check : result->checks) {
          text += fmt::format("    {} {}\n", check.passed ? "ok   " : "FAILS", check_text(check));
        }
      }
    }
  }
  return run.results.empty() ? "" : text;
}

std::string outcome_word(Outcome outcome, bool color) {
  std::string word(outcome_name(outcome));
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return painted(word, outcome, color);
}

std::string group_text(const AttentionGroup& group, bool color) {
  const VariantResult& first = *group.results.front();
  std::string text = fmt::format("{} {}: {} variants alike", outcome_word(first.outcome, color), first.case_name,
                                 group.results.size());
  return text + narrowed_text(group) + fmt::format("\n  the first: {}\n", first.name) + explanation_text(first);
}

// A line per reason: what is known and declared.
std::string expected_lines(const RunRecord& run, const ConsoleOptions& options) {
  std::string text;
  for (const AttentionGroup& group : group_expected_failures(run)) {
    const VariantResult& first = *group.results.front();
    text += fmt::format("{} {}: {} variant{}{}\n  {}{}\n", outcome_word(first.outcome, options.color), first.case_name,
                        group.results.size(), group.results.size() == 1 ? "" : "s", narrowed_text(group), first.reason,
                        first.cause.empty() ? "" : " (" + first.cause + ")");
  }
  return text.empty() ? "" : "\n" + text;
}

// Variants that were never reached share one line: they have nothing to say each.
std::string attention_lines(const RunRecord& run, const ConsoleOptions& options) {
  std::string text;
  for (const AttentionGroup& group : group_attention(run)) {
    if (group.results.size() == 1 || options.verbose) {
      for (const VariantResult* result : group.results) {
        text += result_text(*result, options.color);
      }
    } else {
      text += group_text(group, options.color);
    }
  }
  const auto not_run = std::ranges::count(run.results, Outcome::kNotRun, &VariantResult::outcome);
  if (not_run > 0) {
    text += fmt::format("{} {} variants had not been run\n", outcome_word(Outcome::kNotRun, options.color), not_run);
  }
  return text.empty() ? "" : "\n" + text;
}

const char* verdict_text(ExitCode code) {
  switch (code) {
    case kExitPass:
      return "pass";
    case kExitFailed:
      return "fail";
    case kExitUsage:
      return "usage error";
    case kExitNoVerdict:
      return "no verdict";
    case kExitHarness:
      return "harness failure";
    case kExitNothingSelected:
      return "nothing selected";
    case kExitInterrupted:
      return "interrupted";
  }
  return "";
}

}  // namespace

std::string result_text(const VariantResult& result, bool color) {
  return outcome_word(result.outcome, color) + " " + result.name + "\n" + explanation_text(result);
}

std::string render_console(const RunRecord& run, const ConsoleOptions& options) {
  const std::vector<CaseGroup> groups = group_by_case(run.results);
  std::string text = case_lines(run, groups, options);
  for (const CaseGroup& group : groups) {
    const Pivot pivot = make_pivot(group);
    if (pivot.accuracy || options.verbose) {
      text += "\n" + render_plain(pivot_table(pivot));
    }
    const TextTable ledger = ledger_table(group);
    text += ledger.rows.empty() ? "" : "\n" + render_plain(ledger);
    if (pivot.accuracy || options.verbose) {
      const TextTable saturation = saturation_table(group);
      text += saturation.rows.empty() ? "" : "\n" + render_plain(saturation);
    }
  }
  if (has_timing(run)) {
    text += "\n" + render_plain(timing_table(run));
    const TextTable cross = timing_cross_table(run);
    if (!cross.rows.empty()) {
      text += "\n" + render_plain(cross);
    }
  }
  text += expected_lines(run, options) + attention_lines(run, options);
  const ExitCode code = exit_code(run);
  text += fmt::format("\n{} variant{} of {} case{} in {:.1f} s: {}; {} (exit {})\n", run.results.size(),
                      run.results.size() == 1 ? "" : "s", groups.size(), groups.size() == 1 ? "" : "s", run.duration_s,
                      painted_counts(count_outcomes(run.results), options.color), verdict_text(code),
                      static_cast<int>(code));
  return text;
}

}  // namespace assay::reports
