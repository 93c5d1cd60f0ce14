// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pool/pool_scalar.h"

#include <algorithm>
#include <limits>

#include "engine/base/rounding.h"
#include "engine/kernels/pool/pool_taps.h"

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

struct PoolOutput {
  Index plane = 0;
  Index oy = 0;
  Index ox = 0;
};

template <typename T, typename Args>
const T* plane_of(const Args& args, Index plane) {
  return static_cast<const T*>(args.x) + plane * args.geometry.height * args.geometry.width;
}

template <typename T>
T average(const AveragePoolArgs& args, const PoolOutput& at) {
  const PoolQuantization& q = args.quantization;
  const T* plane = plane_of<T>(args, at.plane);
  const PoolTaps rows = row_taps(args.geometry, at.oy);
  const PoolTaps columns = column_taps(args.geometry, at.ox);
  float sum = 0;
  for_each_tap(rows, columns, [&](Index y, Index x) {
    sum += static_cast<float>(plane[y * args.geometry.width + x] - q.x_zero_point) * q.x_scale;
  });
  const Index count = counted(rows, args.count_include_pad) * counted(columns, args.count_include_pad);
  if (count == 0) {
    return static_cast<T>(q.y_zero_point);
  }
  const float mean = sum / static_cast<float>(count);
  return quantized<T>(mean / q.y_scale + static_cast<float>(q.y_zero_point), 0);
}

template <typename T>
T maximum(const MaxPoolArgs& args, const PoolOutput& at) {
  const T* plane = plane_of<T>(args, at.plane);
  T best = std::numeric_limits<T>::min();
  for_each_tap(row_taps(args.geometry, at.oy), column_taps(args.geometry, at.ox), [&](Index y, Index x) {
    const T value = plane[y * args.geometry.width + x];
    best = value > best ? value : best;
  });
  return best;
}

std::uint8_t average_at(const AveragePoolArgs& args, const PoolOutput& at) {
  return args.quantization.is_signed ? static_cast<std::uint8_t>(average<std::int8_t>(args, at))
                                     : average<std::uint8_t>(args, at);
}

std::uint8_t max_at(const MaxPoolArgs& args, const PoolOutput& at) {
  return args.is_signed ? static_cast<std::uint8_t>(maximum<std::int8_t>(args, at)) : maximum<std::uint8_t>(args, at);
}

// Taps outermost, so that the inner loop runs over windows.
template <typename T>
void max_band(const BandArgs& b) {
  for (Index o = 0; o < b.out_rows; ++o) {
    T* __restrict y = reinterpret_cast<T*>(b.y + o * b.y_step);
    std::fill(y, y + b.count, std::numeric_limits<T>::min());
    for (Index r = 0; r < b.rows; ++r) {
      for (Index c = 0; c < b.columns; ++c) {
        const T* x = reinterpret_cast<const T*>(b.band + o * b.out_step + r * b.row_step + c * b.column_step);
        for (Index i = 0; i < b.count; ++i) {
          y[i] = x[i * b.stride] > y[i] ? x[i * b.stride] : y[i];
        }
      }
    }
  }
}

template <typename Args, typename Function>
void for_each_output(const Args& args, const Function& function) {
  const PoolGeometry& g = args.geometry;
  auto* y = static_cast<std::uint8_t*>(args.y);
  for (Index plane = 0; plane < g.planes; ++plane) {
    for (Index oy = 0; oy < g.out_h; ++oy) {
      for (Index ox = 0; ox < g.out_w; ++ox) {
        *y++ = function(args, PoolOutput{plane, oy, ox});
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

void qlinear_average_pool_scalar(const AveragePoolArgs& args) { for_each_output(args, average_at); }

void max_band_scalar(const MaxBandArgs& args) {
  args.is_signed ? max_band<std::int8_t>(args.band) : max_band<std::uint8_t>(args.band);
}

void max_pool_scalar(const MaxPoolArgs& args) { for_each_output(args, max_at); }

void qlinear_global_average_pool_scalar(const GlobalAveragePoolArgs& args) {
  if (args.quantization.is_signed) {
    run_global<std::int8_t>(args);
  } else {
    run_global<std::uint8_t>(args);
  }
}

}  // namespace assay::kernels
