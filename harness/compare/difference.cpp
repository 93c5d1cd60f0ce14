// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace assay::compare {
namespace {

constexpr double kEnd = 0x1p64;
constexpr double kLastExact = 0x1p53;  // every integer up to it is a double

double rounded_up(std::uint64_t value) {
  const auto nearest = static_cast<double>(value);
  const bool below = nearest < kEnd && static_cast<std::uint64_t>(nearest) < value;
  return below ? std::nextafter(nearest, std::numeric_limits<double>::infinity()) : nearest;
}

template <typename Integer>
std::vector<double> integer_differences(const Tensor& a, const Tensor& b) {
  const std::span<const Integer> left = a.data<Integer>();
  const std::span<const Integer> right = b.data<Integer>();
  std::vector<double> values(left.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto wrapped = static_cast<std::uint64_t>(left[i]) - static_cast<std::uint64_t>(right[i]);
    values[i] = left[i] >= right[i] ? rounded_up(wrapped) : -rounded_up(std::uint64_t{0} - wrapped);
  }
  return values;
}

template <typename Integer>
std::vector<double> ranks(const Tensor& tensor) {
  const std::span<const Integer> values = tensor.data<Integer>();
  std::vector<Integer> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::vector<double> result;
  for (const Integer value : values) {
    result.push_back(static_cast<double>(std::ranges::lower_bound(sorted, value) - sorted.begin()));
  }
  return result;
}

}  // namespace

bool is_wide_integer(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kUint64; }

std::vector<double> differences(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype() && is_wide_integer(a.dtype())) {
    return a.dtype() == DType::kInt64 ? integer_differences<std::int64_t>(a, b)
                                      : integer_differences<std::uint64_t>(a, b);
  }
  std::vector<double> values = a.to_doubles();
  const std::vector<double> from = b.to_doubles();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool same = values[i] == from[i] || (std::isnan(values[i]) && std::isnan(from[i]));
    values[i] = same ? 0.0 : values[i] - from[i];
  }
  return values;
}

std::vector<double> ordered_doubles(const Tensor& tensor) {
  std::vector<double> values = tensor.to_doubles();
  if (!is_wide_integer(tensor.dtype()) ||
      std::ranges::all_of(values, [](double value) { return std::fabs(value) < kLastExact; })) {
    return values;
  }
  return tensor.dtype() == DType::kInt64 ? ranks<std::int64_t>(tensor) : ranks<std::uint64_t>(tensor);
}

std::string element_digits(const Tensor& tensor, std::size_t position) {
  switch (tensor.dtype()) {
    case DType::kInt64:
      return std::to_string(tensor.data<std::int64_t>()[position]);
    case DType::kUint64:
      return std::to_string(tensor.data<std::uint64_t>()[position]);
    default:
      return fmt::format("{}", tensor.to_doubles()[position]);
  }
}

}  // namespace assay::compare
