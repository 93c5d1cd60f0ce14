// SPDX-License-Identifier: Apache-2.0
// What the poolings of 8-bit images share: a window in the kernels' terms, and planes shared out among threads.
#pragma once

#include <algorithm>

#include "engine/kernels/pool/pool.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/window.h"

namespace assay::runtime {

inline kernels::PoolGeometry pool_geometry(const Window& window) {
  return {.height = window.h.input,
          .width = window.w.input,
          .kernel_h = window.h.kernel,
          .kernel_w = window.w.kernel,
          .stride_h = window.h.stride,
          .stride_w = window.w.stride,
          .dilation_h = window.h.dilation,
          .dilation_w = window.w.dilation,
          .pad_top = window.h.pad_begin,
          .pad_left = window.w.pad_begin,
          .out_h = window.h.output,
          .out_w = window.w.output};
}

// Calls body(first plane, planes) for groups of planes, small planes together.
template <typename Body>
void for_each_plane_group(Index planes, const Window& window, int threads, const Body& body) {
  constexpr Index kGroupBytes = Index{1} << 14;
  const Index group = std::max(Index{1}, kGroupBytes / std::max(Index{1}, window.h.input * window.w.input));
  for_each_task((planes + group - 1) / group, threads, [&](Index task, int) {
    const Index first = task * group;
    body(first, std::min(group, planes - first));
  });
}

}  // namespace assay::runtime
