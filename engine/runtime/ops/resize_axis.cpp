// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/resize_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace assay::runtime {
namespace {

constexpr std::array<std::string_view, 7> kCoordinates = {
    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
    "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
constexpr std::array<std::string_view, 4> kNearest = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};

template <typename List>
Status check_name(const List& known, const std::string& what, const std::string& name) {
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    return {};
  }
  std::string names;
  for (const std::string_view entry : known) {
    names += (names.empty() ? "" : ", ") + std::string(entry);
  }
  return invalid_model(what + " must be one of " + names + "; found '" + name + "'");
}

// Where output `x` lies in the input.
double source(const ResizeAxis& axis, const std::string& coordinates, double x) {
  const auto input = static_cast<double>(axis.input);
  const double exact_output = axis.scale * input;
  if (coordinates == "half_pixel") {
    return (x + 0.5) / axis.scale - 0.5;
  }
  if (coordinates == "pytorch_half_pixel") {
    return axis.output == 1 ? -0.5 : (x + 0.5) / axis.scale - 0.5;
  }
  if (coordinates == "align_corners") {
    return axis.output == 1 ? 0 : x * (input - 1) / (exact_output - 1);  // as the standard has it: not rounded
  }
  if (coordinates == "asymmetric") {
    return x / axis.scale;
  }
  if (coordinates == "tf_half_pixel_for_nn") {
    return (x + 0.5) / axis.scale;
  }
  if (coordinates == "tf_crop_and_resize") {
    return axis.output == 1 ? 0.5 * (axis.roi_start + axis.roi_end) * (input - 1)
                            : axis.roi_start * (input - 1) + x * (axis.roi_end - axis.roi_start) * (input - 1) /
                                                                 (static_cast<double>(axis.output) - 1);
  }
  const double adjustment = static_cast<double>(axis.output) / exact_output;  // half_pixel_symmetric
  return input / 2 * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
}

double round_nearest(double x, const std::string& mode) {
  if (mode == "round_prefer_floor") {
    return std::ceil(x - 0.5);
  }
  if (mode == "round_prefer_ceil") {
    return std::floor(x + 0.5);
  }
  return mode == "floor" ? std::floor(x) : std::ceil(x);
}

double linear_weight(double distance) { return std::max(0.0, 1 - std::abs(distance)); }

double cubic_weight(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) {
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  }
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// Taps on either side of the coordinate: the filter's reach, widened where antialias shrinks.
Index reach(const ResizeRules& rules, double stretch) {
  const double radius = rules.mode == ResizeMode::kLinear ? 1 : 2;
  return static_cast<Index>(std::ceil(radius / stretch));
}

}  // namespace

Status check_resize_rules(const ResizeRules& rules) {
  ASSAY_TRY(check_name(kCoordinates, "coordinate_transformation_mode", rules.coordinates));
  return check_name(kNearest, "nearest_mode", rules.nearest);
}

ResizeTaps resize_taps(const ResizeAxis& axis, const ResizeRules& rules) {
  ResizeTaps out;
  const double stretch = rules.antialias ? std::min(axis.scale, 1.0) : 1.0;
  const Index side = rules.mode == ResizeMode::kNearest ? 0 : reach(rules, stretch);
  out.taps = rules.mode == ResizeMode::kNearest ? 1 : 2 * side;
  const auto outputs = static_cast<std::size_t>(axis.output);
  out.outside.reserve(outputs);
  out.positions.reserve(outputs * static_cast<std::size_t>(out.taps));
  out.weights.reserve(outputs * static_cast<std::size_t>(out.taps));
  const double last = static_cast<double>(axis.input) - 1;
  for (Index j = 0; j < axis.output; ++j) {
    const double x = source(axis, rules.coordinates, static_cast<double>(j));
    const bool outside = rules.coordinates == "tf_crop_and_resize" && (x < 0 || x > last);
    out.outside.push_back(outside ? 1 : 0);
    out.any_outside = out.any_outside || outside;
    if (rules.mode == ResizeMode::kNearest) {
      out.positions.push_back(static_cast<Index>(std::clamp(round_nearest(x, rules.nearest), 0.0, last)));
      out.weights.push_back(1);
      continue;
    }
    const double left = std::ceil(x) - 1;
    double sum = 0;
    for (Index k = 1 - side; k <= side; ++k) {
      const double position = left + static_cast<double>(k);
      const double distance = (position - x) * stretch;
      double weight =
          rules.mode == ResizeMode::kLinear ? linear_weight(distance) : cubic_weight(distance, rules.cubic_a);
      if (rules.exclude_outside && (position < 0 || position > last)) {
        weight = 0;
      }
      sum += weight;
      out.positions.push_back(static_cast<Index>(std::clamp(position, 0.0, last)));
      out.weights.push_back(weight);
    }
    if (rules.antialias || rules.exclude_outside) {
      std::for_each(out.weights.end() - out.taps, out.weights.end(), [&](double& weight) { weight /= sum; });
    }
  }
  return out;
}

}  // namespace assay::runtime
