// SPDX-License-Identifier: Apache-2.0
// Linear Resize of the last two axes in one pass over the planes, a few output rows at a time, so that what the first
// axis gives stays in the nearest cache. Every output is the sums, in the same order, that one axis after the other
// gives.
#pragma once

#include "engine/base/dtype.h"
#include "engine/runtime/ops/resize_axis.h"

namespace assay::runtime {

// Both axes with two taps.
struct PlanesToBlend {
  const ResizeTaps& rows;
  const ResizeTaps& columns;
  Index planes = 0;
  Index height = 0;  // of a plane of the input
  Index width = 0;
  Index out_height = 0;
  Index out_width = 0;
  int threads = 1;
};

void blend_planes(const PlanesToBlend& args, const float* in, float* out);
void blend_planes(const PlanesToBlend& args, const double* in, double* out);

}  // namespace assay::runtime
