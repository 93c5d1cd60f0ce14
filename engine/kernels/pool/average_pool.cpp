// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pool/average_pool.h"

#include <algorithm>
#include <limits>

#include "engine/base/rounding.h"

namespace assay::kernels {
namespace {

// rint(v) + zero_point, clamped to the range of T; NaN gives its minimum.
template <typename T>
T quantized(float v, std::int32_t zero_point) {
  const auto low = static_cast<float>(std::numeric_limits<T>::min() - zero_point);
  const auto high = static_cast<float>(std::numeric_limits<T>::max() - zero_point);
  const float raised = v > low ? v : low;
  const float clamped = raised < high ? raised : high;
  return static_cast<T>(static_cast<std::int32_t>(round_half_even(clamped)) + zero_point);
}

// The taps of one window along one axis.
struct Taps {
  Index first;    // position of tap 0
  Index step;     // dilation
  Index count;    // taps of the kernel
  Index size;     // of the image
  Index pad_end;  // behind the image

  Index position(Index tap) const { return first + tap * step; }
  bool inside(Index tap) const { return position(tap) >= 0 && position(tap) < size; }
  // Taps before the end of the padded image; none starts before its beginning.
  Index padded() const {
    Index taps = 0;
    for (Index tap = 0; tap < count; ++tap) {
      taps += position(tap) < size + pad_end ? 1 : 0;
    }
    return taps;
  }
};

template <typename T>
T average(const T* plane, const Taps& rows, const Taps& columns, const AveragePoolArgs& args) {
  const PoolQuantization& q = args.quantization;
  float sum = 0;
  Index taps = 0;
  for (Index ky = 0; ky < rows.count; ++ky) {
    if (!rows.inside(ky)) {
      continue;
    }
    const T* row = plane + rows.position(ky) * args.width;
    for (Index kx = 0; kx < columns.count; ++kx) {
      if (columns.inside(kx)) {
        sum += static_cast<float>(row[columns.position(kx)] - q.x_zero_point) * q.x_scale;
        ++taps;
      }
    }
  }
  const Index count = args.count_include_pad ? rows.padded() * columns.padded() : taps;
  if (count == 0) {
    return static_cast<T>(q.y_zero_point);
  }
  const float mean = sum / static_cast<float>(count);
  return quantized<T>(mean / q.y_scale + static_cast<float>(q.y_zero_point), 0);
}

template <typename T>
void run_average(const AveragePoolArgs& args) {
  T* y = static_cast<T*>(args.y);
  for (Index p = 0; p < args.planes; ++p) {
    const T* plane = static_cast<const T*>(args.x) + p * args.height * args.width;
    for (Index oy = 0; oy < args.out_h; ++oy) {
      const Taps rows{oy * args.stride_h - args.pad_top, args.dilation_h, args.kernel_h, args.height, args.pad_bottom};
      for (Index ox = 0; ox < args.out_w; ++ox) {
        const Taps columns{ox * args.stride_w - args.pad_left, args.dilation_w, args.kernel_w, args.width,
                           args.pad_right};
        *y++ = average(plane, rows, columns, args);
      }
    }
  }
}

template <typename T>
void run_global(const GlobalAveragePoolArgs& args) {
  const PoolQuantization& q = args.quantization;
  const float scale = q.x_scale / (q.y_scale * static_cast<float>(args.size));
  T* y = static_cast<T*>(args.y);
  for (Index p = 0; p < args.planes; ++p) {
    const T* x = static_cast<const T*>(args.x) + p * args.plane_stride;
    std::int32_t sum = 0;
    for (Index i = 0; i < args.size; ++i) {
      sum = wrapping_add(sum, x[i * args.step] - q.x_zero_point);
    }
    y[p] = quantized<T>(static_cast<float>(sum) * scale, q.y_zero_point);
  }
}

}  // namespace

void qlinear_average_pool(const AveragePoolArgs& args) {
  if (args.quantization.is_signed) {
    run_average<std::int8_t>(args);
  } else {
    run_average<std::uint8_t>(args);
  }
}

void qlinear_global_average_pool(const GlobalAveragePoolArgs& args) {
  if (args.quantization.is_signed) {
    run_global<std::int8_t>(args);
  } else {
    run_global<std::uint8_t>(args);
  }
}

}  // namespace assay::kernels
