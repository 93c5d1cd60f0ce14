// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {

Result<MetricValue> top1_accuracy(const MetricInput& input) {
  if (input.options.labels == nullptr) {
    return invalid_argument("top1_accuracy: there are no labels");
  }
  const std::vector<Index> labels = input.options.labels->to_indices();
  const Rows rows = rows_of(input.actual);
  if (labels.size() != rows.count) {
    return invalid_argument(fmt::format("top1_accuracy: {} labels for an output of shape {}, which has {} rows",
                                        labels.size(), shape_text(input.actual.shape()), rows.count));
  }
  const std::vector<double> actual = input.actual.to_doubles();
  std::size_t hits = 0;
  for (std::size_t row = 0; row < rows.count; ++row) {
    if (labels[row] < 0 || labels[row] >= static_cast<Index>(rows.length)) {
      return invalid_argument(
          fmt::format("top1_accuracy: label {} of row {} is none of the {} classes", labels[row], row, rows.length));
    }
    hits += argmax(&actual[row * rows.length], rows.length) == static_cast<std::size_t>(labels[row]) ? 1U : 0U;
  }
  return share_of_rows(hits, rows.count, "are right");
}

}  // namespace assay::compare
