// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression: per batch and class, boxes by falling score, each kept unless it overlaps a kept one by more than
// the threshold (intersection over union). The output lists [batch, class, box].
#include <algorithm>

#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

struct Box {
  float y1 = 0;
  float x1 = 0;
  float y2 = 0;
  float x2 = 0;
  float area() const { return (y2 - y1) * (x2 - x1); }
};

// Corners in any order, or centre and size: [x, y, width, height].
Box read_box(const float* p, bool center_point) {
  if (center_point) {
    return {.y1 = p[1] - p[3] / 2, .x1 = p[0] - p[2] / 2, .y2 = p[1] + p[3] / 2, .x2 = p[0] + p[2] / 2};
  }
  return {
      .y1 = std::min(p[0], p[2]), .x1 = std::min(p[1], p[3]), .y2 = std::max(p[0], p[2]), .x2 = std::max(p[1], p[3])};
}

float overlap(const Box& a, const Box& b) {
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (height <= 0 || width <= 0) {
    return 0;
  }
  const float shared = height * width;
  const float both = a.area() + b.area() - shared;
  return both <= 0 ? 0 : shared / both;
}

struct Limits {
  Index boxes_per_class = 0;
  float iou = 0;
  float score = 0;
  bool has_score = false;
};

std::vector<Index> suppress(const std::vector<Box>& boxes, const float* scores, const Limits& limits) {
  std::vector<Index> order;
  for (Index i = 0; i < static_cast<Index>(boxes.size()); ++i) {
    if (!limits.has_score || scores[i] > limits.score) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return scores[a] > scores[b]; });
  std::vector<Index> kept;
  for (const Index candidate : order) {
    if (static_cast<Index>(kept.size()) >= limits.boxes_per_class) {
      break;
    }
    const bool overlaps = std::any_of(kept.begin(), kept.end(), [&](Index other) {
      return overlap(boxes[static_cast<std::size_t>(candidate)], boxes[static_cast<std::size_t>(other)]) > limits.iou;
    });
    if (!overlaps) {
      kept.push_back(candidate);
    }
  }
  return kept;
}

Limits read_limits(const RunContext& context) {
  const auto one = [&](std::size_t i, double fallback) {
    const std::vector<double> values = context.input(i).to_doubles();
    return values.empty() ? fallback : values[0];
  };
  const double per_class = one(2, 0);
  return Limits{.boxes_per_class = static_cast<Index>(std::clamp(per_class, 0.0, 1e15)),
                .iou = static_cast<float>(one(3, 0)),
                .score = static_cast<float>(one(4, 0)),
                .has_score = context.input(4).size() > 0};
}

Result<Tensor> non_max_suppression(const RunContext& context, bool center_point) {
  const Tensor& boxes = context.input(0);
  const Tensor& scores = context.input(1);
  ASSAY_TRY(check_type(boxes, "boxes", {DType::kFloat32}));
  ASSAY_TRY(check_type(scores, "scores", {DType::kFloat32}));
  ASSAY_TRY(check_rank(boxes, "boxes", 3));
  ASSAY_TRY(check_rank(scores, "scores", 3));
  if (boxes.dim(2) != 4 || scores.dim(0) != boxes.dim(0) || scores.dim(2) != boxes.dim(1)) {
    return invalid_argument("boxes must be [batch, n, 4] and scores [batch, classes, n]; found " +
                            shape_text(boxes.shape()) + " and " + shape_text(scores.shape()));
  }
  const Limits limits = read_limits(context);
  std::vector<Index> selected;
  const Index count = boxes.dim(1);
  for (Index batch = 0; batch < boxes.dim(0); ++batch) {
    std::vector<Box> list;
    for (Index i = 0; i < count; ++i) {
      list.push_back(read_box(boxes.data<float>().data() + (batch * count + i) * 4, center_point));
    }
    for (Index label = 0; label < scores.dim(1); ++label) {
      const float* row = scores.data<float>().data() + (batch * scores.dim(1) + label) * count;
      for (const Index box : suppress(list, row, limits)) {
        selected.insert(selected.end(), {batch, label, box});
      }
    }
  }
  return Tensor::from({static_cast<Index>(selected.size() / 3), 3}, selected);
}

}  // namespace

OperatorResult prepare_non_max_suppression(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 5));
  const bool center_point = context.node.int_attribute("center_point_box", 0) != 0;
  return make_operator([center_point](const RunContext& run) { return non_max_suppression(run, center_point); },
                       "move");
}

}  // namespace assay::runtime
