// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {

Result<MetricValue> top1_agreement(const MetricInput& input) {
  const Elements elements = read_elements(input);
  const Rows rows = rows_of(input.actual);
  std::size_t hits = 0;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::size_t actual = argmax(&elements.actual[row * rows.length], rows.length);
    const std::size_t reference = argmax(&elements.reference[row * rows.length], rows.length);
    hits += actual == reference && actual < rows.length ? 1U : 0U;
  }
  return share_of_rows(hits, rows.count, "agree");
}

}  // namespace assay::compare
