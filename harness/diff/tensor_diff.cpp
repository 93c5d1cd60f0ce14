// SPDX-License-Identifier: Apache-2.0
#include "harness/diff/tensor_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "harness/compare/difference.h"
#include "harness/diff/number_change.h"

namespace assay::diff {
namespace {

constexpr double kFirst = std::numeric_limits<double>::infinity();

ScaleChange compare_scales(const std::vector<double>& before, const std::vector<double>& after, double tolerance) {
  ScaleChange change;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double difference = change_of(before[i], after[i]);
    if (is_within(difference, tolerance, std::abs(before[i]))) {
      continue;
    }
    ++change.count;
    const double relative = relative_change(difference, std::abs(before[i]));
    if (std::abs(relative) > std::abs(change.largest)) {
      change.largest = relative;
      change.at = i;
    }
  }
  return change;
}

ScaleChange compare_zero_points(const std::vector<Index>& before, const std::vector<Index>& after) {
  ScaleChange change;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto difference = static_cast<double>(after[i] - before[i]);
    change.count += difference != 0 ? 1 : 0;
    if (std::abs(difference) > std::abs(change.largest)) {
      change.largest = difference;
      change.at = i;
    }
  }
  return change;
}

void compare_values(const Tensor& before, const Tensor& after, Index steps, TensorDiff& diff) {
  if (before.empty() || after.empty()) {
    diff.shape = before.empty() != after.empty();
    return;
  }
  if (before.shape() != after.shape()) {
    diff.shape = true;
    return;
  }
  const std::vector<Index> a = before.to_indices();
  const std::vector<Index> b = after.to_indices();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Index difference = std::abs(b[i] - a[i]);
    diff.values += difference > steps ? 1 : 0;
    diff.largest_step = std::max(diff.largest_step, difference);
  }
}

double span_of(DType dtype) {
  const IntegerRange range = dtype_integer_range(dtype);
  return std::max(1.0, static_cast<double>(range.max) - static_cast<double>(range.min));
}

std::optional<ConstantDiff> compare_constant(const std::string& name, const Tensor& before, const Tensor& after,
                                             double tolerance) {
  if (bytes_equal(before, after)) {
    return std::nullopt;
  }
  ConstantDiff diff{.name = name, .change = Change::kChanged, .detail = "", .weight = kFirst};
  if (before.dtype() != after.dtype() || before.shape() != after.shape()) {
    diff.detail = fmt::format("{} {} -> {} {}", dtype_name(before.dtype()), shape_text(before.shape()),
                              dtype_name(after.dtype()), shape_text(after.shape()));
    return diff;
  }
  const std::vector<double> a = before.to_doubles();
  const std::vector<double> b = after.to_doubles();
  double magnitude = 0;
  for (const double value : a) {
    magnitude = std::isfinite(value) ? std::max(magnitude, std::abs(value)) : magnitude;
  }
  const std::vector<double> changes =
      compare::is_wide_integer(before.dtype()) ? compare::differences(after, before) : std::vector<double>();
  const bool integer = dtype_integer_range(before.dtype()).max != 0 || !changes.empty();
  std::size_t count = 0;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(changes.empty() ? change_of(a[i], b[i]) : changes[i]);
    if (!is_within(difference, integer ? 0 : tolerance, magnitude)) {
      ++count;
      largest = std::max(largest, difference);
    }
  }
  if (count == 0) {
    return std::nullopt;
  }
  diff.detail = fmt::format("{} of {} values differ, by {:.6g} at most (largest magnitude {:.6g})", count, a.size(),
                            largest, magnitude);
  diff.weight = relative_change(largest, magnitude);
  return diff;
}

}  // namespace

std::optional<Range> stated_range(const api::StatedParams& params, std::size_t at) {
  if (at >= params.scales.size() || at >= params.zero_points.size() || params.dtype == DType::kInt32) {
    return std::nullopt;
  }
  const IntegerRange limits = dtype_integer_range(params.dtype);
  const auto real = [&](Index q) { return params.scales[at] * static_cast<double>(q - params.zero_points[at]); };
  return Range{.min = real(limits.min), .max = real(limits.max)};
}

std::optional<TensorDiff> compare_params(const api::StatedParams& before, const api::StatedParams& after,
                                         const Tolerance& tolerance) {
  TensorDiff diff;
  diff.tensor = before.tensor;
  diff.type = before.dtype != after.dtype;
  diff.layout = before.axis != after.axis || before.block_size != after.block_size ||
                before.scales.size() != after.scales.size() || before.dynamic != after.dynamic ||
                before.zero_points.size() != after.zero_points.size();
  if (!diff.layout) {
    diff.scale = compare_scales(before.scales, after.scales, tolerance.scale);
    diff.zero_point = compare_zero_points(before.zero_points, after.zero_points);
  }
  compare_values(before.values, after.values, tolerance.steps, diff);
  if (!diff.type && !diff.layout && !diff.shape && diff.scale.count == 0 && diff.zero_point.count == 0 &&
      diff.values == 0) {
    return std::nullopt;
  }
  const double span = span_of(before.dtype);
  diff.weight = diff.type || diff.layout || diff.shape
                    ? kFirst
                    : std::max({std::abs(diff.scale.largest), std::abs(diff.zero_point.largest) / span,
                                static_cast<double>(diff.values > 0 ? diff.largest_step : 0) / span});
  diff.before = before;
  diff.after = after;
  return diff;
}

std::vector<TensorDiff> compare_tensors(const std::vector<api::StatedParams>& before,
                                        const std::vector<api::StatedParams>& after, const Tolerance& tolerance,
                                        std::size_t& compared) {
  std::map<std::string, const api::StatedParams*> others;
  for (const api::StatedParams& params : after) {
    others[params.tensor] = &params;
  }
  std::vector<TensorDiff> diffs;
  const auto add_single = [&](Change change, const api::StatedParams& params) {
    TensorDiff diff;
    diff.tensor = params.tensor;
    diff.change = change;
    (change == Change::kRemoved ? diff.before : diff.after) = params;
    diff.weight = kFirst;
    diffs.push_back(std::move(diff));
  };
  for (const api::StatedParams& params : before) {
    const auto other = others.find(params.tensor);
    if (other == others.end()) {
      add_single(Change::kRemoved, params);
      continue;
    }
    ++compared;
    if (std::optional<TensorDiff> diff = compare_params(params, *other->second, tolerance); diff) {
      diffs.push_back(std::move(*diff));
    }
    others.erase(other);
  }
  for (const auto& [name, params] : others) {
    add_single(Change::kAdded, *params);
  }
  std::ranges::stable_sort(diffs, [](const TensorDiff& a, const TensorDiff& b) { return a.weight > b.weight; });
  return diffs;
}

std::vector<ConstantDiff> compare_constants(const std::map<std::string, Tensor>& before,
                                            const std::map<std::string, Tensor>& after, const Tolerance& tolerance) {
  std::vector<ConstantDiff> diffs;
  const auto add_single = [&](Change change, const std::string& name, const Tensor& tensor) {
    diffs.push_back({.name = name,
                     .change = change,
                     .detail = fmt::format("{} {}", dtype_name(tensor.dtype()), shape_text(tensor.shape())),
                     .weight = kFirst});
  };
  for (const auto& [name, tensor] : before) {
    const auto other = after.find(name);
    if (other == after.end()) {
      add_single(Change::kRemoved, name, tensor);
    } else if (auto diff = compare_constant(name, tensor, other->second, tolerance.scale); diff) {
      diffs.push_back(std::move(*diff));
    }
  }
  for (const auto& [name, tensor] : after) {
    if (!before.contains(name)) {
      add_single(Change::kAdded, name, tensor);
    }
  }
  std::ranges::stable_sort(diffs, [](const ConstantDiff& a, const ConstantDiff& b) { return a.weight > b.weight; });
  return diffs;
}

}  // namespace assay::diff
