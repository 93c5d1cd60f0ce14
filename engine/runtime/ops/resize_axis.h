// SPDX-License-Identifier: Apache-2.0
// Resize along one axis: which input elements an output element is made of, with which weights.
#pragma once

#include <string>

#include "engine/base/block_vector.h"
#include "engine/base/result.h"
#include "engine/ir/graph.h"

namespace assay::runtime {

enum class ResizeMode { kNearest, kLinear, kCubic };

struct ResizeRules {
  ResizeMode mode = ResizeMode::kNearest;
  std::string coordinates = "half_pixel";
  std::string nearest = "round_prefer_floor";
  double cubic_a = -0.75;
  bool exclude_outside = false;
  bool antialias = false;
};

struct ResizeAxis {
  Index input = 1;
  Index output = 1;
  double scale = 1;
  double roi_start = 0;  // tf_crop_and_resize: the part of the input that is read, from 0 to 1
  double roi_end = 1;
};

// Output j is the sum over k of weights[j * taps + k] * input[positions[j * taps + k]]. Nearest has one tap of
// weight 1.
struct ResizeTaps {
  Index taps = 1;
  BlockVector<Index> positions;
  BlockVector<double> weights;
  BlockVector<char> outside;  // per output, 1: it reads beyond the input (tf_crop_and_resize), so it gets another value
  bool any_outside = false;
};

// Errors: kInvalidModel for a mode of coordinates or rounding that the standard lacks.
Status check_resize_rules(const ResizeRules& rules);

ResizeTaps resize_taps(const ResizeAxis& axis, const ResizeRules& rules);

}  // namespace assay::runtime
