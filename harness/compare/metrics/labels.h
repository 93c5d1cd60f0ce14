// SPDX-License-Identifier: Apache-2.0
// Right answers, row by row: what the metrics of labelled data count.
#pragma once

#include <string_view>
#include <vector>

#include "harness/compare/metric.h"

namespace assay::compare {

// The labels of the rows of an output of this shape. Errors begin with the metric's name: no labels, another number of
// them than rows, or a label that is none of the classes.
Result<std::vector<std::size_t>> row_labels(const MetricInput& input, std::string_view metric);

// Two outputs against the same labels: how many rows both have right, one alone, and none.
struct PairedCounts {
  std::size_t both = 0;
  std::size_t actual_only = 0;
  std::size_t reference_only = 0;
  std::size_t neither = 0;
  std::optional<WorstElement> worst;  // the first row that the reference alone has right: its class and the label
  std::size_t rows() const { return both + actual_only + reference_only + neither; }
};
Result<PairedCounts> paired_counts(const MetricInput& input, std::string_view metric);

// "7 of 100 rows are right in the reference alone, 3 in the actual output alone"
std::string paired_text(const PairedCounts& counts);

}  // namespace assay::compare
