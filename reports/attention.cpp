// SPDX-License-Identifier: Apache-2.0
#include "reports/attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "reports/number_text.h"

namespace assay::reports {
namespace {

bool wants_attention(Outcome outcome) {
  return outcome != Outcome::kNotRun && (is_failure(outcome) || outcome == Outcome::kInconclusive ||
                                         outcome == Outcome::kWeak || outcome == Outcome::kSkip);
}

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
AxisValues axis_values(const std::vector<const VariantResult*>& results) {
  AxisValues axes;
  for (const VariantResult* result : results) {
    for (const auto& [axis, value] : result->variant.items()) {
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
  return axes;
}

std::vector<std::string> narrowed_axes(const AxisValues& of_case, const std::vector<const VariantResult*>& results) {
  const AxisValues here = axis_values(results);
  std::vector<std::string> out;
  for (const auto& [axis, values] : here) {
    const auto all = std::ranges::find(of_case, axis, &AxisValues::value_type::first);
    if (all != of_case.end() && values.size() < all->second.size()) {
      out.push_back(fmt::format("{}={}", axis, fmt::join(values, "|")));
    }
  }
  return out;
}

// The results that `wanted` picks, by `key`.
template <typename Wanted, typename Key>
std::vector<AttentionGroup> group_results(const RunRecord& run, const Wanted& wanted, const Key& key) {
  std::vector<AttentionGroup> groups;
  std::map<std::string, std::size_t> index;
  for (const VariantResult& result : run.results) {
    if (!wanted(result.outcome)) {
      continue;
    }
    const auto [found, added] = index.try_emplace(key(result), groups.size());
    if (added) {
      groups.emplace_back();
    }
    groups[found->second].results.push_back(&result);
  }
  if (groups.empty()) {
    return groups;
  }
  std::map<std::string, AxisValues> of_case;
  for (const CaseGroup& group : group_by_case(run.results)) {
    of_case.emplace(group.name, axis_values(group.results));
  }
  for (AttentionGroup& group : groups) {
    group.narrowed = narrowed_axes(of_case[group.results.front()->case_name], group.results);
  }
  return groups;
}

}  // namespace

std::string narrowed_text(const AttentionGroup& group) {
  return group.narrowed.empty() ? "" : fmt::format(", all with {}", fmt::join(group.narrowed, ", "));
}

std::vector<AttentionGroup> group_attention(const RunRecord& run) {
  return group_results(run, wants_attention, signature);
}

std::vector<AttentionGroup> group_expected_failures(const RunRecord& run) {
  return group_results(
      run, [](Outcome outcome) { return outcome == Outcome::kXfail; },
      [](const VariantResult& result) { return result.case_name + "\n" + result.reason + "\n" + result.cause; });
}

std::string explanation_text(const VariantResult& result) {
  std::string text;
  if (!result.reason.empty()) {
    text += "  " + result.reason + "\n";
  }
  if (!result.cause.empty()) {
    text += fmt::format("  cause: {} (`assay explain {}`)\n", result.cause, result.cause);
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

}  // namespace assay::reports
