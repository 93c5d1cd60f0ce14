// SPDX-License-Identifier: Apache-2.0
#include "harness/diff/range_diff.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/diff/number_change.h"

namespace assay::diff {

RangeDiff compare_ranges(const RangeMap& before, const RangeMap& after, double tolerance) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  RangeDiff diff;
  const auto range = [](const std::pair<double, double>& ends) { return Range{.min = ends.first, .max = ends.second}; };
  for (const auto& [tensor, ends] : before) {
    const auto other = after.find(tensor);
    if (other == after.end()) {
      diff.entries.push_back({tensor, Change::kRemoved, range(ends), std::nullopt, kInfinity});
      continue;
    }
    ++diff.compared;
    // Halves, so that neither the span nor a move of finite ends is infinite.
    const auto moved = [](double from, double to) { return std::abs(change_of(from / 2, to / 2)); };
    const double move = std::max(moved(ends.first, other->second.first), moved(ends.second, other->second.second));
    const double half_span = ends.second / 2 - ends.first / 2;
    if (!is_within(move, tolerance, half_span)) {
      diff.entries.push_back(
          {tensor, Change::kChanged, range(ends), range(other->second), relative_change(move, half_span)});
    }
  }
  for (const auto& [tensor, ends] : after) {
    if (!before.contains(tensor)) {
      diff.entries.push_back({tensor, Change::kAdded, std::nullopt, range(ends), kInfinity});
    }
  }
  std::ranges::stable_sort(diff.entries, [](const RangeEntry& a, const RangeEntry& b) { return a.weight > b.weight; });
  return diff;
}

}  // namespace assay::diff
