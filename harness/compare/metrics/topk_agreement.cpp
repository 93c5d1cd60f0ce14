// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "harness/compare/difference.h"
#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {
namespace {

// Places of the k largest elements, sorted by place; {} for a row with a NaN.
std::vector<std::size_t> top_places(std::span<const double> row, std::size_t k) {
  if (std::any_of(row.begin(), row.end(), [](double value) { return std::isnan(value); })) {
    return {};
  }
  std::vector<std::size_t> places(row.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  places.resize(k);
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace

Result<MetricValue> topk_agreement(const MetricInput& input) {
  if (input.options.k < 1) {
    return invalid_argument(fmt::format("topk_agreement: k is {}, it must be at least 1", input.options.k));
  }
  const Rows rows = rows_of(input.actual);
  const auto wanted = static_cast<std::size_t>(input.options.k);
  const std::size_t k = std::min(wanted, rows.length);
  if (wanted >= rows.length && rows.count * rows.length > 0) {
    return invalid_argument(
        fmt::format("topk_agreement: k is {}, and a row has {} classes: the top {} always agree; k must be below {}",
                    wanted, rows.length, rows.length, rows.length));
  }
  std::size_t common = 0;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const auto of = [&](const std::vector<double>& values) {
      return top_places(std::span(values).subspan(row * rows.length, rows.length), k);
    };
    const std::vector<std::size_t> actual = of(ordered_doubles(input.actual));
    const std::vector<std::size_t> reference = of(ordered_doubles(input.reference));
    std::vector<std::size_t> both;
    std::set_intersection(actual.begin(), actual.end(), reference.begin(), reference.end(), std::back_inserter(both));
    common += both.size();
  }
  const std::size_t places = rows.count * k;
  const double value = places == 0 ? 1.0 : static_cast<double>(common) / static_cast<double>(places);
  return MetricValue{value,
                     fmt::format("{} of {} places are common, the top {} of {} rows", common, places, k, rows.count),
                     {},
                     static_cast<Index>(rows.count)};
}

}  // namespace assay::compare
