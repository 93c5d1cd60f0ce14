// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pool/pool_bands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "engine/kernels/pool/pool_scalar.h"
#include "engine/kernels/pool/pool_taps.h"

namespace assay::kernels {
namespace {

constexpr Index kBandBytes = Index{16} << 10;
constexpr Index kMostWindows = 512;

// Columns of the image between the first and the last tap of `windows` windows.
Index span_of(const PoolGeometry& g, Index windows) {
  return (windows - 1) * g.stride_w + (g.kernel_w - 1) * g.dilation_w + 1;
}

// The most windows of a row that the buffer has room for; 0: not even one.
Index strip_of(const PoolGeometry& g) {
  const Index pitch = kBandBytes / std::max(g.kernel_h, Index{1}) - kBandSlack;
  if (pitch < span_of(g, 1)) {
    return 0;
  }
  return std::min({kMostWindows, g.out_w, (pitch - span_of(g, 1)) / g.stride_w + 1});
}

struct RowRange {
  Index first = 0;  // tap
  Index count = 0;
};
RowRange rows_inside(const PoolTaps& rows) {
  RowRange out{0, rows.inside_count()};
  while (out.first < rows.count && !rows.inside(out.first)) {
    ++out.first;
  }
  return out;
}

// Bands of one strip of output columns.
class Bands {
 public:
  Bands(const PoolGeometry& geometry, const void* x, std::uint8_t padding)
      : g_(geometry), x_(static_cast<const std::uint8_t*>(x)), padding_(padding) {}

  void select(Index first_window, Index windows) {
    windows_ = windows;
    left_ = first_window * g_.stride_w - g_.pad_left;
    span_ = span_of(g_, windows);
  }

  // Without y. Valid until the next call.
  BandArgs at(Index plane, const PoolTaps& rows) {
    const RowRange inside = rows_inside(rows);
    const Index row_step = g_.dilation_h * g_.width;
    const Index offset = (plane * g_.height + rows.position(inside.first)) * g_.width + left_;
    BandArgs out;
    out.rows = inside.count;
    out.columns = g_.kernel_w;
    out.column_step = g_.dilation_w;
    out.stride = g_.stride_w;
    out.count = windows_;
    const bool padded = left_ < 0 || left_ + span_ > g_.width;
    const Index end = offset + (inside.count - 1) * row_step + span_ + kBandSlack;
    if (!padded && inside.count > 0 && end <= g_.planes * g_.height * g_.width) {
      out.band = x_ + offset;
      out.row_step = row_step;
      return out;
    }
    out.row_step = span_ + kBandSlack;
    out.band = buffer_.data();
    for (Index row = 0; row < inside.count; ++row) {
      copy_row(x_ + (plane * g_.height + rows.position(inside.first + row)) * g_.width,
               buffer_.data() + row * out.row_step);
    }
    return out;
  }

 private:
  void copy_row(const std::uint8_t* image_row, std::uint8_t* to) const {
    const Index begin = std::clamp(-left_, Index{0}, span_);
    const Index end = std::clamp(g_.width - left_, begin, span_);
    std::memset(to, padding_, static_cast<std::size_t>(begin));
    if (end > begin) {
      std::memcpy(to + begin, image_row + left_ + begin, static_cast<std::size_t>(end - begin));
    }
    std::memset(to + end, padding_, static_cast<std::size_t>(span_ - end));
  }

  const PoolGeometry& g_;
  const std::uint8_t* x_;
  std::uint8_t padding_;
  Index windows_ = 0;
  Index left_ = 0;  // column of the first tap
  Index span_ = 0;
  std::array<std::uint8_t, kBandBytes> buffer_{};
};

// Calls body(first window, windows) for strips of output columns.
template <typename Body>
void for_each_strip(const PoolGeometry& g, Index strip, const Body& body) {
  for (Index first = 0; first < g.out_w; first += strip) {
    body(first, std::min(strip, g.out_w - first));
  }
}

// What the sums of a strip's windows are divided by, for one number of counted rows at a time.
class Divisors {
 public:
  Divisors(const AveragePoolArgs& args, Index first, Index windows) : windows_(windows) {
    for (Index i = 0; i < windows; ++i) {
      const PoolTaps taps = column_taps(args.geometry, first + i);
      columns_[static_cast<std::size_t>(i)] = args.count_include_pad ? taps.padded_count() : taps.inside_count();
    }
  }

  const float* of(Index rows) {
    if (rows != rows_) {
      rows_ = rows;
      for (std::size_t i = 0; i < static_cast<std::size_t>(windows_); ++i) {
        floats_[i] = static_cast<float>(rows * columns_[i]);
      }
    }
    return floats_.data();
  }

 private:
  Index windows_;
  Index rows_ = -1;
  std::array<Index, kMostWindows> columns_{};
  std::array<float, kMostWindows + kTapSlack> floats_{};
};

void average_strip(void (*band)(const AverageBandArgs&), const AveragePoolArgs& args, Bands& bands, Index first,
                   Index windows) {
  const PoolGeometry& g = args.geometry;
  bands.select(first, windows);
  Divisors divisors(args, first, windows);
  auto* y = static_cast<std::uint8_t*>(args.y) + first;
  for (Index row = 0; row < g.planes * g.out_h; ++row) {
    const PoolTaps rows = row_taps(g, row % g.out_h);
    AverageBandArgs band_args;
    band_args.band = bands.at(row / g.out_h, rows);
    band_args.band.y = y + row * g.out_w;
    band_args.taps = divisors.of(args.count_include_pad ? rows.padded_count() : band_args.band.rows);
    band_args.quantization = args.quantization;
    band(band_args);
    for (Index i = 0; i < windows; ++i) {
      if (band_args.taps[i] == 0.0F) {
        band_args.band.y[i] = static_cast<std::uint8_t>(args.quantization.y_zero_point);
      }
    }
  }
}

}  // namespace

void average_in_bands(void (*band)(const AverageBandArgs&), const AveragePoolArgs& args) {
  const PoolGeometry& g = args.geometry;
  const Index strip = strip_of(g);
  // Padding is a byte whose term is 0, which it is not where the scale is infinite or NaN.
  if (strip <= 0 || !std::isfinite(args.quantization.x_scale)) {
    return qlinear_average_pool_scalar(args);
  }
  Bands bands(g, args.x, static_cast<std::uint8_t>(args.quantization.x_zero_point));
  for_each_strip(g, strip, [&](Index first, Index windows) { average_strip(band, args, bands, first, windows); });
}

void max_in_bands(void (*band)(const MaxBandArgs&), const MaxPoolArgs& args) {
  const PoolGeometry& g = args.geometry;
  const Index strip = strip_of(g);
  if (strip <= 0) {
    return max_pool_scalar(args);
  }
  Bands bands(g, args.x, args.is_signed ? std::uint8_t{0x80} : std::uint8_t{0});
  for_each_strip(g, strip, [&](Index first, Index windows) {
    bands.select(first, windows);
    auto* y = static_cast<std::uint8_t*>(args.y) + first;
    for (Index row = 0; row < g.planes * g.out_h; ++row) {
      MaxBandArgs band_args{.band = bands.at(row / g.out_h, row_taps(g, row % g.out_h)), .is_signed = args.is_signed};
      band_args.band.y = y + row * g.out_w;
      band(band_args);
    }
  });
}

}  // namespace assay::kernels
