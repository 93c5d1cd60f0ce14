// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/histogram_layout.h"

#include <algorithm>
#include <cmath>

namespace assay::quantizer {
namespace {

std::vector<float> even_edges(float low, float high, Index bins) {
  if (low == high) {
    low -= 0.5F;
    high += 0.5F;
  }
  const float width = high - low;
  const float step = width / static_cast<float>(bins);
  std::vector<float> edges;
  edges.reserve(static_cast<std::size_t>(bins) + 1);
  for (Index i = 0; i < bins; ++i) {
    // A step that is too small for float32 is multiplied out in the other order.
    const float offset =
        step == 0 ? static_cast<float>(i) / static_cast<float>(bins) * width : static_cast<float>(i) * step;
    edges.push_back(offset + low);
  }
  edges.push_back(high);
  return edges;
}

// floor(a / b) for 0 <= a, 0 < b, as numpy's float32 floor_divide: the remainder is exact.
float floor_divide(float a, float b) {
  const float quotient = (a - std::fmod(a, b)) / b;
  const float whole = std::floor(quotient);
  return quotient - whole > 0.5F ? whole + 1 : whole;
}

float largest_magnitude(const Scan& extremes) { return std::max(std::fabs(extremes.min), std::fabs(extremes.max)); }

}  // namespace

void HistogramLayout::add_collection(Index collection, const Scan& extremes) {
  if (!extremes.has_values()) {
    return;
  }
  const float largest = largest_magnitude(extremes);
  if (stages_.empty()) {
    threshold_ = largest;
    const float low = kind_ == HistogramKind::kSigned ? -largest : extremes.least_magnitude;
    stages_.push_back({.first_collection = 0, .edges = even_edges(low, largest, bins_)});
    return;
  }
  const std::size_t before = stages_.size();
  kind_ == HistogramKind::kSigned ? grow_signed(largest) : grow_magnitude(largest);
  if (stages_.size() > before) {
    stages_.back().first_collection = collection;
  }
}

void HistogramLayout::grow_signed(float largest) {
  if (largest <= threshold_) {
    return;
  }
  const Index bins = stages_.back().bins();
  if (threshold_ == 0) {
    threshold_ = largest;
    stages_.push_back({.first_collection = 0, .edges = even_edges(-threshold_, threshold_, bins)});
    return;
  }
  const float stride = 2 * threshold_ / static_cast<float>(bins);
  const float added = floor_divide(largest - threshold_, stride) + 1;
  threshold_ = added * stride + threshold_;
  stages_.push_back(
      {.first_collection = 0, .edges = even_edges(-threshold_, threshold_, bins + 2 * static_cast<Index>(added))});
}

void HistogramLayout::grow_magnitude(float largest) {
  std::vector<float> edges = stages_.back().edges;
  if (largest <= edges.back()) {
    return;
  }
  const float width = edges[1] - edges[0];
  const float start = edges.back() + width;
  const float step = (start + width) - start;
  const auto added = static_cast<Index>(std::ceil((largest + width - start) / width));
  for (Index i = 0; i < added; ++i) {
    edges.push_back(i == 0 ? start : start + static_cast<float>(i) * step);
  }
  edges.back() = std::max(edges.back(), largest);
  stages_.push_back({.first_collection = 0, .edges = std::move(edges)});
}

const LayoutStage& HistogramLayout::stage_of(Index collection) const {
  std::size_t found = 0;
  for (std::size_t i = 1; i < stages_.size() && stages_[i].first_collection <= collection; ++i) {
    found = i;
  }
  return stages_[found];
}

Index HistogramLayout::shift(const LayoutStage& stage) const {
  return kind_ == HistogramKind::kSigned ? (stages_.back().bins() - stage.bins()) / 2 : 0;
}

}  // namespace assay::quantizer
