// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"
#include "harness/compare/metrics/labels.h"

namespace assay::compare {

Result<MetricValue> top1_accuracy(const MetricInput& input) {
  ASSAY_ASSIGN(const std::vector<std::size_t> labels, row_labels(input, "top1_accuracy"));
  ASSAY_ASSIGN(const Rows rows, class_rows(input.actual, "top1_accuracy"));
  const std::vector<std::size_t> actual = row_classes(input.actual, rows);
  std::size_t hits = 0;
  for (std::size_t row = 0; row < rows.count; ++row) {
    hits += actual[row] == labels[row] ? 1U : 0U;
  }
  MetricValue value = share_of_rows(hits, rows.count, "are right");
  value.worst = first_difference(actual, labels);
  return value;
}

}  // namespace assay::compare
