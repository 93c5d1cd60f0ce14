// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <fmt/format.h>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {

Result<MetricValue> exact(const MetricInput& input) {
  const std::size_t size = dtype_size_bytes(input.actual.dtype());
  const auto n = static_cast<std::size_t>(input.actual.size());
  std::size_t different = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::memcmp(input.actual.bytes() + i * size, input.reference.bytes() + i * size, size) != 0) {
      first = different == 0 ? i : first;
      ++different;
    }
  }
  std::string detail = fmt::format("{} of {} elements differ", different, n);
  if (different > 0) {
    detail += fmt::format(", the first {}", element_text(input, read_elements(input), first));
  }
  MetricValue value{static_cast<double>(different), detail, {}, input.actual.size(), worst_by_error(input)};
  if (value.worst && different > 0 && value.worst->actual == value.worst->reference) {
    value.worst = worst_at(input, read_elements(input), first);  // bytes alone differ: +0 and -0
  }
  return value;
}

}  // namespace assay::compare
