// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metrics/labels.h"

#include <fmt/format.h>

#include "harness/compare/metrics/elements.h"

namespace assay::compare {

Result<std::vector<std::size_t>> row_labels(const MetricInput& input, std::string_view metric) {
  if (input.options.labels == nullptr) {
    return invalid_argument(fmt::format("{}: there are no labels", metric));
  }
  const std::vector<Index> labels = input.options.labels->to_indices();
  ASSAY_ASSIGN(const Rows rows, class_rows(input.actual, metric));
  if (labels.size() != rows.count) {
    return invalid_argument(fmt::format("{}: {} labels for an output of shape {}, which has {} rows", metric,
                                        labels.size(), shape_text(input.actual.shape()), rows.count));
  }
  std::vector<std::size_t> classes(rows.count);
  for (std::size_t row = 0; row < rows.count; ++row) {
    if (labels[row] < 0 || labels[row] >= static_cast<Index>(rows.length)) {
      return invalid_argument(
          fmt::format("{}: label {} of row {} is none of the {} classes", metric, labels[row], row, rows.length));
    }
    classes[row] = static_cast<std::size_t>(labels[row]);
  }
  return classes;
}

Result<PairedCounts> paired_counts(const MetricInput& input, std::string_view metric) {
  ASSAY_ASSIGN(const std::vector<std::size_t> labels, row_labels(input, metric));
  const Rows rows = rows_of(input.actual);
  const std::vector<std::size_t> actual = row_classes(input.actual, rows);
  const std::vector<std::size_t> reference = row_classes(input.reference, rows);
  PairedCounts counts;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const bool actual_right = actual[row] == labels[row];
    const bool reference_right = reference[row] == labels[row];
    std::size_t& count = actual_right ? (reference_right ? counts.both : counts.actual_only)
                                      : (reference_right ? counts.reference_only : counts.neither);
    ++count;
    if (reference_right && !actual_right && !counts.worst) {
      counts.worst =
          WorstElement{{static_cast<Index>(row)}, static_cast<double>(actual[row]), static_cast<double>(labels[row])};
    }
  }
  return counts;
}

std::string paired_text(const PairedCounts& counts) {
  return fmt::format("{} of {} rows are right in the reference alone, {} in the actual output alone",
                     counts.reference_only, counts.rows(), counts.actual_only);
}

}  // namespace assay::compare
