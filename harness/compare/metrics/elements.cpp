// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metrics/elements.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/compare/difference.h"

namespace assay::compare {

Elements read_elements(const MetricInput& input) {
  Elements elements{input.actual.to_doubles(), input.reference.to_doubles(),
                    differences(input.actual, input.reference)};
  const Side side = input.options.side;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    double& error = elements.errors[i];
    if (side == Side::kAbove ? error < 0 : side == Side::kBelow && error > 0) {  // never true for NaN
      elements.actual[i] = elements.reference[i];
      error = 0;
    }
    error = std::fabs(error);
  }
  return elements;
}

double half_ulp(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 0x1p-24;
    case DType::kFloat16:
      return 0x1p-11;
    case DType::kBfloat16:
      return 0x1p-8;
    case DType::kFloat64:
      return 0x1p-53;
    default:
      return 0;
  }
}

namespace {

Shape place_of(const Shape& shape, std::size_t position) {
  Shape at(shape.size(), 0);
  auto rest = static_cast<Index>(position);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    at[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  return at;
}

}  // namespace

std::string element_text(const MetricInput& input, const Elements& elements, std::size_t position) {
  if (elements.size() == 0) {
    return "no elements";
  }
  const std::string place = shape_text(place_of(input.actual.shape(), position));
  if (is_wide_integer(input.actual.dtype()) && input.actual.dtype() == input.reference.dtype()) {
    const bool other_side = elements.errors[position] == 0;
    return fmt::format("at {}: {}, reference {}", place,
                       element_digits(other_side ? input.reference : input.actual, position),
                       element_digits(input.reference, position));
  }
  return fmt::format("at {}: {}, reference {}", place, elements.actual[position], elements.reference[position]);
}

std::optional<WorstElement> worst_at(const MetricInput& input, const Elements& elements, std::size_t position) {
  if (elements.size() == 0) {
    return std::nullopt;
  }
  return WorstElement{place_of(input.actual.shape(), position), elements.actual[position],
                      elements.reference[position]};
}

std::optional<WorstElement> worst_by_error(const MetricInput& input) {
  const Elements elements = read_elements(input);
  const Worst worst = worst_element(elements.size(), [&](std::size_t i) { return elements.errors[i]; });
  return worst_at(input, elements, worst.position);
}

bool exceeds(double candidate, double best) { return !std::isnan(best) && (std::isnan(candidate) || candidate > best); }

Rows rows_of(const Tensor& tensor) {
  if (tensor.rank() == 0) {
    return {1, 1};
  }
  const auto length = static_cast<std::size_t>(tensor.dim(tensor.rank() - 1));
  return {length == 0 ? 0 : static_cast<std::size_t>(tensor.size()) / length, length};
}

Result<Rows> class_rows(const Tensor& tensor, std::string_view metric) {
  const Rows rows = rows_of(tensor);
  if (rows.length == 1) {
    return invalid_argument(
        fmt::format("{}: the output's shape is {}: a row has 1 class, which is always right; the last axis must have "
                    "2 or more",
                    metric, shape_text(tensor.shape())));
  }
  return rows;
}

std::size_t argmax(const double* row, std::size_t length) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (std::isnan(row[i])) {
      return length;
    }
    if (row[i] > row[best]) {
      best = i;
    }
  }
  return length == 0 ? length : best;
}

std::vector<std::size_t> row_classes(const Tensor& tensor, const Rows& rows) {
  const std::vector<double> values = ordered_doubles(tensor);
  std::vector<std::size_t> classes(rows.count);
  for (std::size_t row = 0; row < rows.count; ++row) {
    classes[row] = argmax(&values[row * rows.length], rows.length);
  }
  return classes;
}

std::optional<WorstElement> first_difference(const std::vector<std::size_t>& actual,
                                             const std::vector<std::size_t>& reference) {
  const auto [here, there] = std::mismatch(actual.begin(), actual.end(), reference.begin());
  if (here == actual.end()) {
    return std::nullopt;
  }
  return WorstElement{
      {static_cast<Index>(here - actual.begin())}, static_cast<double>(*here), static_cast<double>(*there)};
}

Interval wilson_interval(std::size_t hits, std::size_t count) {
  if (count == 0) {
    return {0.0, 1.0};
  }
  constexpr double kZ = 1.959963984540054;  // the normal distribution's 97.5 % point
  const auto n = static_cast<double>(count);
  const double p = static_cast<double>(hits) / n;
  const double centre = (p + kZ * kZ / (2.0 * n)) / (1.0 + kZ * kZ / n);
  const double half = kZ / (1.0 + kZ * kZ / n) * std::sqrt(p * (1.0 - p) / n + kZ * kZ / (4.0 * n * n));
  return {hits == 0 ? 0.0 : centre - half, hits == count ? 1.0 : centre + half};
}

MetricValue share_of_rows(std::size_t hits, std::size_t count, const std::string& what) {
  MetricValue result;
  result.value = count == 0 ? 1.0 : static_cast<double>(hits) / static_cast<double>(count);
  result.interval = wilson_interval(hits, count);
  result.n = static_cast<Index>(count);
  result.detail = fmt::format("{} of {} rows {}", hits, count, what);
  return result;
}

}  // namespace assay::compare
