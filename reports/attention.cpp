// SPDX-License-Identifier: Apache-2.0
#include "reports/attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "reports/number_text.h"
#include "reports/printable.h"

namespace assay::reports {
namespace {

std::string limit_text(const std::optional<double>& limit) { return limit ? fmt::format("{}", *limit) : ""; }

// What makes two results alike.
std::string signature(const VariantResult& result) {
  std::string text = fmt::format("{}\n{}\n{}\n", result.case_name, outcome_name(result.outcome), result.reason);
  for (const Check& check : result.checks) {
    if (!check.passed) {
      text += fmt::format("{}\t{}\t{}\t{}\n", check.measured.metric, check.measured.output, limit_text(check.at_most),
                          limit_text(check.at_least));
    }
  }
  return text;
}

using AxisValues = std::vector<std::pair<std::string, std::vector<std::string>>>;

// Every axis with the values it takes among the results, in order of appearance.
void add_axis_values(AxisValues& axes, const VariantResult& result) {
  for (const auto& [axis, value] : result.variant.items()) {
    auto found = std::ranges::find(axes, axis, &AxisValues::value_type::first);
    if (found == axes.end()) {
      found = axes.insert(axes.end(), {axis, {}});
    }
    const std::string text = value_text(value);
    if (std::ranges::find(found->second, text) == found->second.end()) {
      found->second.push_back(text);
    }
  }
}

std::vector<std::string> narrowed_axes(const AxisValues& of_case, const AxisValues& here) {
  std::vector<std::string> out;
  for (const auto& [axis, values] : here) {
    const auto all = std::ranges::find(of_case, axis, &AxisValues::value_type::first);
    if (all != of_case.end() && values.size() < all->second.size()) {
      out.push_back(fmt::format("{}={}", axis, fmt::join(values, "|")));
    }
  }
  return out;
}

}  // namespace

bool wants_attention(Outcome outcome) {
  return outcome != Outcome::kNotRun && (is_failure(outcome) || outcome == Outcome::kInconclusive ||
                                         outcome == Outcome::kWeak || outcome == Outcome::kSkip);
}

std::string narrowed_text(const AttentionGroup& group) {
  return group.narrowed.empty() ? "" : one_line(fmt::format(", all with {}", fmt::join(group.narrowed, ", ")));
}

void AttentionCollector::take(const CaseGroup& of_case) {
  if (std::ranges::none_of(of_case.results, [&](const VariantResult* result) { return wanted_(result->outcome); })) {
    return;
  }
  AxisValues all;
  std::vector<AxisValues> taken;  // by the groups added here
  std::map<std::string, std::size_t> index;
  const std::size_t start = list_.groups.size();
  for (const VariantResult* result : of_case.results) {
    add_axis_values(all, *result);
    if (!wanted_(result->outcome)) {
      continue;
    }
    const auto [found, added] = index.try_emplace(key_(*result), taken.size());
    if (added) {
      if (list_.groups.size() >= kMaxAttentionGroups) {
        index.erase(found);
        ++list_.variants_left;
        continue;
      }
      list_.groups.push_back({.first = *result, .count = 0, .narrowed = {}});
      taken.emplace_back();
    }
    ++list_.groups[start + found->second].count;
    add_axis_values(taken[found->second], *result);
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    list_.groups[start + i].narrowed = narrowed_axes(all, taken[i]);
  }
}

AttentionCollector attention_collector() { return {wants_attention, signature}; }

AttentionCollector expected_failure_collector() {
  return {[](Outcome outcome) { return outcome == Outcome::kXfail; },
          [](const VariantResult& result) { return result.case_name + "\n" + result.reason + "\n" + result.cause; }};
}

AttentionList group_attention(const RunRecord& run) {
  AttentionCollector collector = attention_collector();
  for_each_case(run.results, [&](const CaseGroup& group) { collector.take(group); });
  return collector.list();
}

std::string explanation_text(const VariantResult& result) {
  std::string text;
  if (!result.reason.empty()) {
    text += "  " + one_line(result.reason) + "\n";
  }
  if (!result.cause.empty()) {
    text += fmt::format("  cause: {0} (`assay explain {0}`)\n", one_line(result.cause));
  }
  for (const Check& check : result.checks) {
    if (!check.passed) {
      text += "  " + one_line(check_text(check)) + "\n";
    }
  }
  for (const std::string& warning : result.warnings) {
    text += "  warning: " + one_line(warning) + "\n";
  }
  if (!result.rerun.empty()) {
    text += "  rerun: " + one_line(result.rerun) + "\n";
  }
  return text;
}

}  // namespace assay::reports
