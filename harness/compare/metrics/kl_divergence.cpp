// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "harness/compare/difference.h"
#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {
namespace {

constexpr double kLeastProbability = 1e-12;

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

bool all_exact(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::fabs(value) < 0x1p53; });
}

bool is_distribution(std::span<const double> row) {
  const bool positive = std::all_of(row.begin(), row.end(), [](double value) { return value >= 0.0; });
  return positive && std::fabs(std::accumulate(row.begin(), row.end(), 0.0) - 1.0) <= 1e-3;
}

std::vector<double> softmax(std::span<const double> row) {
  const double largest = *std::max_element(row.begin(), row.end());
  std::vector<double> result(row.begin(), row.end());
  double sum = 0.0;
  for (double& value : result) {
    value = std::exp(value - largest);
    sum += value;
  }
  for (double& value : result) {
    value /= sum;
  }
  return result;
}

std::vector<double> normalized(std::span<const double> row) {
  std::vector<double> result(row.begin(), row.end());
  double sum = 0.0;
  for (double& value : result) {
    value = std::max(value, 0.0);
    sum += value;
  }
  for (double& value : result) {
    value = sum > 0.0 ? value / sum : 0.0;
  }
  return result;
}

double divergence(const std::vector<double>& p, const std::vector<double>& q) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0.0) {
      sum += p[i] * std::log(p[i] / std::max(q[i], kLeastProbability));
    }
  }
  return std::max(sum, 0.0);  // rounding may leave a hair below 0
}

}  // namespace

Result<MetricValue> kl_divergence(const MetricInput& input) {
  const Elements elements = read_elements(input);
  ASSAY_ASSIGN(const Rows rows, class_rows(input.actual, "kl_divergence"));
  if (!all_finite(elements.actual) || !all_finite(elements.reference)) {
    return MetricValue{std::numeric_limits<double>::quiet_NaN(), "an element is not finite", {}, input.actual.size()};
  }
  if (is_wide_integer(input.actual.dtype()) && !(all_exact(elements.actual) && all_exact(elements.reference))) {
    return invalid_argument("kl_divergence: an element is an integer beyond 2^53, which double has not");
  }
  const auto row_of = [&](const std::vector<double>& values, std::size_t row) {
    return std::span(values).subspan(row * rows.length, rows.length);
  };
  bool probabilities = true;
  for (std::size_t row = 0; row < rows.count; ++row) {
    probabilities = probabilities && is_distribution(row_of(elements.reference, row));
  }
  double sum = 0.0;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const auto reference = row_of(elements.reference, row);
    const auto actual = row_of(elements.actual, row);
    sum += probabilities ? divergence(normalized(reference), normalized(actual))
                         : divergence(softmax(reference), softmax(actual));
  }
  const double value = rows.count == 0 ? 0.0 : sum / static_cast<double>(rows.count);
  return MetricValue{value,
                     fmt::format("mean of {} rows, {}", rows.count, probabilities ? "as they are" : "by softmax"),
                     {},
                     static_cast<Index>(rows.count)};
}

}  // namespace assay::compare
