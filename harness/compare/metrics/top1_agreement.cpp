// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {

Result<MetricValue> top1_agreement(const MetricInput& input) {
  ASSAY_ASSIGN(const Rows rows, class_rows(input.actual, "top1_agreement"));
  const std::vector<std::size_t> actual = row_classes(input.actual, rows);
  const std::vector<std::size_t> reference = row_classes(input.reference, rows);
  std::size_t hits = 0;
  for (std::size_t row = 0; row < rows.count; ++row) {
    hits += actual[row] == reference[row] && actual[row] < rows.length ? 1U : 0U;
  }
  MetricValue value = share_of_rows(hits, rows.count, "agree");
  value.worst = first_difference(actual, reference);
  return value;
}

}  // namespace assay::compare
