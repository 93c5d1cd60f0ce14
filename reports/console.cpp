// SPDX-License-Identifier: Apache-2.0
#include "reports/console.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/attention.h"
#include "reports/exit_code.h"
#include "reports/ledger_table.h"
#include "reports/number_text.h"
#include "reports/pivot.h"
#include "reports/printable.h"
#include "reports/saturation_table.h"
#include "reports/timing_table.h"

namespace assay::reports {
namespace {

std::string painted(const std::string& text, Outcome outcome, bool color) {
  if (!color) {
    return text;
  }
  const bool good = outcome == Outcome::kPass || outcome == Outcome::kXfail;
  const int code = is_failure(outcome) ? 31 : good ? 32 : 33;
  return color_mark(code) + text + color_mark(0);
}

std::string painted_counts(const std::map<Outcome, std::int64_t>& counts, bool color) {
  std::string text;
  for (const auto& [outcome, count] : counts) {
    text += (text.empty() ? "" : ", ") + painted(fmt::format("{} {}", count, outcome_name(outcome)), outcome, color);
  }
  return text.empty() ? "none" : text;
}

// A case's name and counts; kept for the width of the name column, which the longest decides.
struct CaseLine {
  std::string name;
  std::size_t variants = 0;
  std::map<Outcome, std::int64_t> counts;
  double seconds = 0;
};

CaseLine case_line(const CaseGroup& group) {
  CaseLine line{.name = one_line(group.name), .variants = group.results.size(), .counts = {}, .seconds = 0};
  for (const VariantResult* result : group.results) {
    ++line.counts[result->outcome];
    line.seconds += result->duration_s;
  }
  return line;
}

std::string text_of(const CaseLine& line, std::size_t width, bool color) {
  return fmt::format("{:<{}}  {:>4} variant{}  {}  ({:.1f} s)\n", line.name, width, line.variants,
                     line.variants == 1 ? ": " : "s:", painted_counts(line.counts, color), line.seconds);
}

void write_variants(const CaseGroup& group, bool color, const Sink& sink) {
  for (const VariantResult* result : group.results) {
    sink(fmt::format("  {} {}\n", painted(fmt::format("{:<12}", outcome_name(result->outcome)), result->outcome, color),
                     one_line(result->name)));
    for (const Check& check : result->checks) {
      sink(fmt::format("    {} {}\n", check.passed ? "ok   " : "FAILS", one_line(check_text(check))));
    }
  }
}

std::string outcome_word(Outcome outcome, bool color) {
  std::string word(outcome_name(outcome));
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return painted(word, outcome, color);
}

std::string group_text(const AttentionGroup& group, bool color) {
  const VariantResult& first = group.first;
  std::string text = fmt::format("{} {}: {} variants alike", outcome_word(first.outcome, color),
                                 one_line(first.case_name), group.count);
  return text + narrowed_text(group) + fmt::format("\n  the first: {}\n", one_line(first.name)) +
         explanation_text(first);
}

// A line per reason: what is known and declared.
std::string expected_lines(const AttentionList& list, const ConsoleOptions& options) {
  std::string text;
  for (const AttentionGroup& group : list.groups) {
    const VariantResult& first = group.first;
    text += fmt::format("{} {}: {} variant{}{}\n  {}{}\n", outcome_word(first.outcome, options.color),
                        one_line(first.case_name), group.count, group.count == 1 ? "" : "s", narrowed_text(group),
                        one_line(first.reason), first.cause.empty() ? "" : " (" + one_line(first.cause) + ")");
  }
  return text.empty() ? "" : "\n" + text;
}

// One result in full: outcome, name, reason, failed checks, rerun line.
std::string result_text(const VariantResult& result, bool color) {
  return outcome_word(result.outcome, color) + " " + one_line(result.name) + "\n" + explanation_text(result);
}

// Variants that were never reached share one line: they have nothing to say each.
void write_attention(const RunRecord& run, const AttentionList& list, const ConsoleOptions& options, const Sink& sink) {
  bool first = true;
  const auto write = [&](const std::string& text) {
    sink((first ? "\n" : "") + text);
    first = false;
  };
  if (options.verbose) {
    for (std::size_t i = 0; i < run.results.size(); ++i) {
      if (wants_attention(run.results.facts(i).outcome)) {
        write(result_text(run.results.load(i), options.color));
      }
    }
  } else {
    for (const AttentionGroup& group : list.groups) {
      write(group.count == 1 ? result_text(group.first, options.color) : group_text(group, options.color));
    }
    if (list.variants_left > 0) {
      write(fmt::format("and {} variants more that need a look: results.json has them\n", list.variants_left));
    }
  }
  const std::map<Outcome, std::int64_t> counts = count_outcomes(run.results);
  if (const auto not_run = counts.find(Outcome::kNotRun); not_run != counts.end()) {
    write(fmt::format("{} {} variants had not been run\n", outcome_word(Outcome::kNotRun, options.color),
                      not_run->second));
  }
}

std::string case_tables(const CaseGroup& group, bool verbose) {
  std::string text;
  const Pivot pivot = make_pivot(group);
  if (pivot.accuracy || verbose) {
    text += "\n" + render_plain(pivot_table(pivot));
  }
  const TextTable ledger = ledger_table(group);
  text += ledger.rows.empty() ? "" : "\n" + render_plain(ledger);
  if (pivot.accuracy || verbose) {
    const TextTable saturation = saturation_table(group);
    text += saturation.rows.empty() ? "" : "\n" + render_plain(saturation);
  }
  return text;
}

}  // namespace

void render_console(const RunRecord& run, const ConsoleOptions& options, const Sink& raw) {
  const Sink sink = color_sink(raw);
  std::vector<CaseLine> lines;
  std::string tables;
  AttentionCollector attention = attention_collector();
  AttentionCollector expected = expected_failure_collector();
  std::size_t width = 0;
  for_each_case(run.results, [&](const CaseGroup& group) {
    lines.push_back(case_line(group));
    width = std::max(width, lines.back().name.size());
    tables += case_tables(group, options.verbose);
    attention.take(group);
    expected.take(group);
  });
  if (options.verbose) {
    auto line = lines.begin();
    for_each_case(run.results, [&](const CaseGroup& group) {
      sink(text_of(*line++, width, options.color));
      write_variants(group, options.color, sink);
    });
  } else {
    for (const CaseLine& line : lines) {
      sink(text_of(line, width, options.color));
    }
  }
  sink(tables);
  if (has_timing(run.results)) {
    sink("\n" + render_plain(timing_table(run)));
    const TextTable cross = timing_cross_table(run);
    sink(cross.rows.empty() ? "" : "\n" + render_plain(cross));
  }
  sink(expected_lines(expected.list(), options));
  write_attention(run, attention.list(), options, sink);
  const ExitCode code = exit_code(run);
  const std::size_t cases = case_count(run.results);
  sink(fmt::format("\n{} variant{} of {} case{} in {:.1f} s: {}; {} (exit {})\n", run.results.size(),
                   run.results.size() == 1 ? "" : "s", cases, cases == 1 ? "" : "s", run.duration_s,
                   painted_counts(count_outcomes(run.results), options.color), verdict_text(code),
                   static_cast<int>(code)));
}

}  // namespace assay::reports
