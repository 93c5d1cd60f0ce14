// SPDX-License-Identifier: Apache-2.0
#include "harness/diff/range_diff.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
    const double moved =
        std::max(std::abs(other->second.first - ends.first), std::abs(other->second.second - ends.second));
    const double span = ends.second - ends.first;
    if (moved > tolerance * span) {
      diff.entries.push_back(
          {tensor, Change::kChanged, range(ends), range(other->second), span > 0 ? moved / span : kInfinity});
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
