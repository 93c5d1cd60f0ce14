// SPDX-License-Identifier: Apache-2.0
// What the metrics share: elements as double, the error of one element, and where an element stands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/tensor.h"
#include "harness/compare/metric.h"

namespace assay::compare {

// Both tensors' elements, read once. Where only errors of one side count, an element of the other side has its
// reference's value.
struct Elements {
  std::vector<double> actual;
  std::vector<double> reference;
  std::vector<double> errors;  // d of metric.h
  std::size_t size() const { return actual.size(); }
};
Elements read_elements(const MetricInput& input);

// The largest relative error of rounding to a floating-point type; 0 of other types.
double half_ulp(DType dtype);

// "at [0,2,5]: 1.5, reference 1"
std::string element_text(const MetricInput& input, const Elements& elements, std::size_t position);

// The same as a place and two values; nothing for an empty tensor.
std::optional<WorstElement> worst_at(const MetricInput& input, const Elements& elements, std::size_t position);
// The element of the largest absolute error.
std::optional<WorstElement> worst_by_error(const MetricInput& input);

// The larger of two measures where NaN counts as larger than everything.
bool exceeds(double candidate, double best);

// The largest of measure(i) over all elements; 0 and no place for an empty tensor.
struct Worst {
  double value = 0;
  std::size_t position = 0;
};
template <typename Measure>
Worst worst_element(std::size_t count, const Measure& measure) {
  Worst worst;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = measure(i);
    if (i == 0 || exceeds(value, worst.value)) {
      worst = {value, i};
    }
  }
  return worst;
}

// The last axis holds the classes, the axes before it count rows. A scalar is one row of one class.
struct Rows {
  std::size_t count = 0;
  std::size_t length = 0;
};
Rows rows_of(const Tensor& tensor);

// The same for a metric of classes. An error (kInvalidArgument) where a row has one class, which is always right.
Result<Rows> class_rows(const Tensor& tensor, std::string_view metric);

// Position of the largest element of a row, the first of equals; `length` if the row holds a NaN or nothing.
std::size_t argmax(const double* row, std::size_t length);

// The first row for which `actual` and `reference` name different classes.
std::optional<WorstElement> first_difference(const std::vector<std::size_t>& actual,
                                             const std::vector<std::size_t>& reference);

// Position of the largest element of every row.
std::vector<std::size_t> row_classes(const Tensor& tensor, const Rows& rows);

// Wilson's score interval of a share, 95 %.
Interval wilson_interval(std::size_t hits, std::size_t count);

// The value of "hits of count rows" with its interval and detail.
MetricValue share_of_rows(std::size_t hits, std::size_t count, const std::string& what);

}  // namespace assay::compare
