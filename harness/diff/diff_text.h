// SPDX-License-Identifier: Apache-2.0
// A comparison for people and for programs. docs/command-line.md shows both.
#pragma once

#include <string>

#include "harness/diff/range_diff.h"
#include "reports/record.h"

namespace assay::diff {

struct Names {
  std::string before;
  std::string after;
};

// Tables of what differs, largest first, and a last line that sums it up. `top` limits the tensors and nodes listed
// (0: all); what is left out is counted.
std::string render_text(const ModelDiff& diff, const Names& names, std::size_t top);
std::string render_text(const RangeDiff& diff, const Names& names, std::size_t top);

reports::Json to_json(const ModelDiff& diff, const Names& names, const Tolerance& tolerance);
reports::Json to_json(const RangeDiff& diff, const Names& names, double tolerance);

}  // namespace assay::diff
