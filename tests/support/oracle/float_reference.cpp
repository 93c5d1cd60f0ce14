// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle/float_reference.h"

#include <algorithm>
#include <limits>

namespace assay::oracle {
namespace {

// Calls visit(iy, ix) for every tap (ky, kx) of the window at (oy, ox), inside the image or not.
template <typename Visit>
void for_each_tap(const ConvGeometry& g, Index oy, Index ox, Visit&& visit) {
  for (Index ky = 0; ky < g.kernel_h; ++ky) {
    for (Index kx = 0; kx < g.kernel_w; ++kx) {
      visit(oy * g.stride_h - g.pad_top + ky * g.dilation_h, ox * g.stride_w - g.pad_left + kx * g.dilation_w);
    }
  }
}

bool is_inside(const ConvGeometry& g, Index iy, Index ix) {
  return iy >= 0 && iy < g.height && ix >= 0 && ix < g.width;
}

// One value per plane and output position.
template <typename Value>
Doubles for_each_output(const ConvGeometry& g, Value&& value) {
  Doubles out;
  for (Index plane = 0; plane < g.batch * g.channels; ++plane) {
    for (Index oy = 0; oy < g.out_h(); ++oy) {
      for (Index ox = 0; ox < g.out_w(); ++ox) {
        out.push_back(value(plane, oy, ox));
      }
    }
  }
  return out;
}

double at(const Floats& values, Index i) { return static_cast<double>(values[static_cast<std::size_t>(i)]); }

}  // namespace

Doubles float_matmul(const Floats& a, const Floats& b, Index m, Index n, Index k) {
  Doubles c;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index p = 0; p < k; ++p) {
        sum += at(a, i * k + p) * at(b, p * n + j);
      }
      c.push_back(sum);
    }
  }
  return c;
}

Doubles float_conv(const ConvGeometry& g, const Floats& x, const Floats& w, const Floats& bias) {
  const Index group_channels = g.channels / g.group;
  ConvGeometry per_output = g;
  per_output.channels = g.outputs;
  return for_each_output(per_output, [&](Index plane, Index oy, Index ox) {
    const Index n = plane / g.outputs;
    const Index m = plane % g.outputs;
    double sum = bias.empty() ? 0.0 : at(bias, m);
    for (Index c = 0; c < group_channels; ++c) {
      const Index channel = m / (g.outputs / g.group) * group_channels + c;
      Index tap = (m * group_channels + c) * g.kernel_h * g.kernel_w;
      for_each_tap(g, oy, ox, [&](Index iy, Index ix) {
        if (is_inside(g, iy, ix)) {
          sum += at(x, ((n * g.channels + channel) * g.height + iy) * g.width + ix) * at(w, tap);
        }
        ++tap;
      });
    }
    return sum;
  });
}

Doubles float_max_pool(const ConvGeometry& g, const Floats& x) {
  return for_each_output(g, [&](Index plane, Index oy, Index ox) {
    double best = -std::numeric_limits<double>::infinity();
    for_each_tap(g, oy, ox, [&](Index iy, Index ix) {
      if (is_inside(g, iy, ix)) {
        best = std::max(best, at(x, (plane * g.height + iy) * g.width + ix));
      }
    });
    return best;
  });
}

Doubles float_average_pool(const ConvGeometry& g, const Floats& x, bool count_include_pad) {
  return for_each_output(g, [&](Index plane, Index oy, Index ox) {
    double sum = 0;
    Index count = 0;
    for_each_tap(g, oy, ox, [&](Index iy, Index ix) {
      const bool padded = iy < g.height + g.pad_bottom && ix < g.width + g.pad_right;
      if (is_inside(g, iy, ix)) {
        sum += at(x, (plane * g.height + iy) * g.width + ix);
        ++count;
      } else if (count_include_pad && padded) {
        ++count;
      }
    });
    return count == 0 ? 0.0 : sum / static_cast<double>(count);
  });
}

}  // namespace assay::oracle
