// SPDX-License-Identifier: Apache-2.0
// Sliding windows over any number of spatial dimensions, for what the one- and two-dimensional kernels do not cover.
#pragma once

#include <vector>

#include "engine/runtime/window.h"

namespace assay::runtime {

struct WindowNd {
  std::vector<WindowAxis> axes;

  Index taps() const;     // of one window
  Index outputs() const;  // windows
  Index inputs() const;   // elements of a plane
  Shape output_shape(Shape leading) const;
};

// `x` is [N, C, spatial...]. Errors as resolve_window's.
Result<WindowNd> resolve_window_nd(const WindowSpec& spec, const Shape& x, const IndexList& kernel);

// Calls visit(tap, input) for every tap of window `output` that falls on the input: positions in row-major order.
template <typename Visit>
void for_each_tap(const WindowNd& window, Index output, const Visit& visit) {
  const std::size_t rank = window.axes.size();
  std::vector<TapRange> ranges(rank);
  for (std::size_t i = rank; i-- > 0;) {
    ranges[i] = taps_inside(window.axes[i], output % window.axes[i].output);
    output /= window.axes[i].output;
    if (ranges[i].begin >= ranges[i].end) {
      return;
    }
  }
  IndexList tap(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    tap[i] = ranges[i].begin;
  }
  while (true) {
    Index flat_tap = 0;
    Index flat_input = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      const WindowAxis& axis = window.axes[i];
      flat_tap = flat_tap * axis.kernel + tap[i];
      flat_input = flat_input * axis.input + ranges[i].first_input + (tap[i] - ranges[i].begin) * axis.dilation;
    }
    visit(flat_tap, flat_input);
    std::size_t i = rank;
    while (i > 0 && ++tap[i - 1] == ranges[i - 1].end) {
      --i;
      tap[i] = ranges[i].begin;
    }
    if (i == 0) {
      return;
    }
  }
}

}  // namespace assay::runtime
