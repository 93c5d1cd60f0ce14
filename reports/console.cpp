// SPDX-License-Identifier: Apache-2.0
#include "reports/console.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/exit_code.h"
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
      }
    }
  }
  return run.results.empty() ? "" : text;
}

bool wants_attention(Outcome outcome) {
  return is_failure(outcome) || outcome == Outcome::kInconclusive || outcome == Outcome::kWeak ||
         outcome == Outcome::kSkip;
}

// Variants that were never reached share one line: they have nothing to say each.
std::string attention_lines(const RunRecord& run, const ConsoleOptions& options) {
  std::string text;
  std::int64_t not_run = 0;
  for (const VariantResult& result : run.results) {
    if (result.outcome == Outcome::kNotRun && !options.verbose) {
      ++not_run;
    } else if (wants_attention(result.outcome)) {
      text += result_text(result, options.color);
    }
  }
  if (not_run > 0) {
    text +=
        fmt::format("{} {} variants had not been run\n", painted("NOT-RUN", Outcome::kNotRun, options.color), not_run);
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
  std::string word(outcome_name(result.outcome));
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  std::string text = painted(word, result.outcome, color) + " " + result.name + "\n";
  if (!result.reason.empty()) {
    text += "  " + result.reason + "\n";
  }
  for (const Check& check : result.checks) {
    if (!check.passed) {
      text += "  " + check_text(check) + "\n";
    }
  }
  for (const std::string& warning : result.warnings) {
    text += "  warning: " + warning + "\n";
  }
  if (!result.rerun.empty()) {
    text += "  rerun: " + result.rerun + "\n";
  }
  return text;
}

std::string render_console(const RunRecord& run, const ConsoleOptions& options) {
  const std::vector<CaseGroup> groups = group_by_case(run.results);
  std::string text = case_lines(run, groups, options);
  for (const CaseGroup& group : groups) {
    const Pivot pivot = make_pivot(group);
    if (pivot.accuracy || options.verbose) {
      text += "\n" + render_plain(pivot_table(pivot));
    }
    if (options.verbose) {
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
  text += attention_lines(run, options);
  const ExitCode code = exit_code(run);
  text += fmt::format("\n{} variants of {} cases in {:.1f} s: {}; {} (exit {})\n", run.results.size(), groups.size(),
                      run.duration_s, painted_counts(count_outcomes(run.results), options.color), verdict_text(code),
                      static_cast<int>(code));
  return text;
}

}  // namespace assay::reports
