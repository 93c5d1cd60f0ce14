// SPDX-License-Identifier: Apache-2.0
// What differs between two tables of calibrated ranges.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/diff/model_diff.h"

namespace assay::diff {

struct RangeEntry {
  std::string tensor;
  Change change = Change::kChanged;
  std::optional<Range> before;
  std::optional<Range> after;
  // The larger move of an end, as a share of the span before; infinite where that was 0, and for added and removed.
  double weight = 0;
};

struct RangeDiff {
  std::size_t compared = 0;
  std::vector<RangeEntry> entries;  // largest first
  bool equal() const { return entries.empty(); }
};

using RangeMap = std::map<std::string, std::pair<double, double>>;

// Ends are equal where they are no more than tolerance * (max - min of the first table) apart.
RangeDiff compare_ranges(const RangeMap& before, const RangeMap& after, double tolerance);

}  // namespace assay::diff
