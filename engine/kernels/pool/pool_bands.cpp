// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pool/pool_bands.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/kernels/pool/pool_scalar.h"
#include "engine/kernels/pool/pool_taps.h"

namespace assay::kernels {
namespace {

constexpr Index kBandBytes = Index{16} << 10;
constexpr Index kMostWindows = 512;

// Columns of the image between the first and the last tap of `windows` windows; rows likewise.
Index columns_of(const PoolGeometry& g, Index windows) {
  return (windows - 1) * g.stride_w + (g.kernel_w - 1) * g.dilation_w + 1;
}
Index rows_of(const PoolGeometry& g, Index windows) {
  return (windows - 1) * g.stride_h + (g.kernel_h - 1) * g.dilation_h + 1;
}

// The most windows of a row that the buffer has room for; 0: not even one.
Index strip_of(const PoolGeometry& g) {
  const Index pitch = kBandBytes / rows_of(g, 1) - kBandSlack;
  if (pitch < columns_of(g, 1)) {
    return 0;
  }
  return std::min({kMostWindows, g.out_w, (pitch - columns_of(g, 1)) / g.stride_w + 1});
}

// Bands of one strip of output columns: the image itself where windows lie inside it, else a copy with the padding.
class Bands {
 public:
  Bands(const PoolGeometry& geometry, const void* x, std::uint8_t padding)
      : g_(geometry), x_(static_cast<const std::uint8_t*>(x)), padding_(padding) {}

  void select(Index first_window, Index windows) {
    left_ = first_window * g_.stride_w - g_.pad_left;
    span_ = columns_of(g_, windows);
    args_.rows = g_.kernel_h;
    args_.columns = g_.kernel_w;
    args_.column_step = g_.dilation_w;
    args_.stride = g_.stride_w;
    args_.count = windows;
    args_.y_step = g_.out_w;
  }

  // As many output rows from `oy` on as one band holds, at least one; without y. Valid until the next call.
  const BandArgs& at(Index plane, Index oy) {
    const Index top = oy * g_.stride_h - g_.pad_top;
    const Index inside = rows_inside(plane, top);
    args_.out_rows = std::min(inside > 0 ? inside : rows_copied(), g_.out_h - oy);
    const Index pitch = inside > 0 ? g_.width : span_ + kBandSlack;
    args_.row_step = g_.dilation_h * pitch;
    args_.out_step = g_.stride_h * pitch;
    if (inside > 0) {
      args_.band = x_ + (plane * g_.height + top) * g_.width + left_;
    } else {
      args_.band = buffer_.data();
      copy_rows(plane, top, rows_of(g_, args_.out_rows));
    }
    return args_;
  }

 private:
  // Output rows whose windows lie inside the image, the slack behind them inside the tensor.
  Index rows_inside(Index plane, Index top) const {
    const Index room = g_.height - rows_of(g_, 1) - top;
    if (left_ < 0 || left_ + span_ > g_.width || top < 0 || room < 0) {
      return 0;
    }
    Index rows = room / g_.stride_h + 1;
    const auto end_of = [&](Index windows) {
      return (plane * g_.height + top + rows_of(g_, windows) - 1) * g_.width + left_ + span_ + kBandSlack;
    };
    while (rows > 0 && end_of(rows) > g_.planes * g_.height * g_.width) {
      --rows;
    }
    return rows;
  }

  Index rows_copied() const { return (kBandBytes / (span_ + kBandSlack) - rows_of(g_, 1)) / g_.stride_h + 1; }

  void copy_rows(Index plane, Index top, Index rows) {
    std::uint8_t* to = buffer_.data();
    for (Index row = top; row < top + rows; ++row, to += span_ + kBandSlack) {
      if (row >= 0 && row < g_.height) {
        copy_row(x_ + (plane * g_.height + row) * g_.width, to);
      } else {
        std::memset(to, padding_, static_cast<std::size_t>(span_));
      }
    }
  }

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
  Index left_ = 0;  // column of the first tap
  Index span_ = 0;
  BandArgs args_;
  std::array<std::uint8_t, kBandBytes> buffer_{};
};

// Calls body(first window, windows) for strips of output columns.
template <typename Body>
void for_each_strip(const PoolGeometry& g, Index strip, const Body& body) {
  for (Index first = 0; first < g.out_w; first += strip) {
    body(first, std::min(strip, g.out_w - first));
  }
}

// AverageBandArgs::certain. Let u = 2^-24, n taps and a = 255 * x_scale / y_scale, the largest |mean / y_scale|.
// Products, the sum, both divisions and the zero point round to within u * ((n + 3) * a + 255) of the real number, the
// short cut to within u * (5 * a + 255); twice that covers terms of u * u. Small or large scales could leave float32's
// normal range, within which this holds.
float certain_distance(const AveragePoolArgs& args) {
  constexpr Index kMostTaps = 256;
  constexpr float kLeastScale = 0x1p-100F;
  constexpr float kLargestScale = 0x1p100F;
  const PoolQuantization& q = args.quantization;
  const Index taps = args.geometry.kernel_h * args.geometry.kernel_w;
  if (taps > kMostTaps || !(q.x_scale >= kLeastScale && q.x_scale <= kLargestScale && q.y_scale > 0)) {
    return 0;
  }
  const double largest = 255.0 * static_cast<double>(q.x_scale) / static_cast<double>(q.y_scale);
  const double error = 0x1p-24 * (static_cast<double>(taps + 8) * largest + 510);
  return static_cast<float>(std::max(0.0, 0.5 - 2 * error));
}

// What the sums of a strip's windows are divided by, for one number of counted rows at a time.
class Divisors {
 public:
  Divisors(const AveragePoolArgs& args, Index first, Index windows)
      : windows_(windows),
        ratio_(args.quantization.x_scale / args.quantization.y_scale),
        certain_(certain_distance(args)) {
    for (Index i = 0; i < windows; ++i) {
      const PoolTaps taps = column_taps(args.geometry, first + i);
      columns_[static_cast<std::size_t>(i)] = counted(taps, args.count_include_pad);
    }
  }

  // For windows with so many counted rows.
  void fill(Index rows, AverageBandArgs& args) {
    if (rows != rows_) {
      rows_ = rows;
      recompute();
    }
    args.taps = floats_.data();
    args.inverse = inverse_;
    args.factors = factors_.data();
    args.certain = any_empty_ ? 0 : certain_;
  }
  // Windows without any tap.
  void set_empty(const BandArgs& band, std::uint8_t value) const {
    for (Index i = 0; any_empty_ && i < windows_; ++i) {
      for (Index o = 0; o < band.out_rows && floats_[static_cast<std::size_t>(i)] == 0.0F; ++o) {
        band.y[o * band.y_step + i] = value;
      }
    }
  }

 private:
  void recompute() {
    inverse_ = true;
    any_empty_ = false;
    const auto windows = static_cast<std::size_t>(windows_);
    for (std::size_t i = 0; i < windows; ++i) {
      const Index taps = rows_ * columns_[i];
      floats_[i] = static_cast<float>(taps);
      inverse_ = inverse_ && std::has_single_bit(static_cast<std::uint64_t>(taps));
      any_empty_ = any_empty_ || taps == 0;
    }
    for (std::size_t i = 0; i < windows && !any_empty_; ++i) {
      factors_[i] = ratio_ / floats_[i];
    }
    for (std::size_t i = 0; inverse_ && i < windows; ++i) {
      floats_[i] = 1.0F / floats_[i];
    }
  }

  Index windows_;
  float ratio_;
  float certain_;
  Index rows_ = -1;
  bool inverse_ = false;
  bool any_empty_ = false;
  std::array<Index, kMostWindows> columns_{};
  std::array<float, kMostWindows + kTapSlack> floats_{};
  std::array<float, kMostWindows + kTapSlack> factors_{};
};

// Rows of the windows of output row `oy` that count.
Index counted_rows(const AveragePoolArgs& args, Index oy) {
  return counted(row_taps(args.geometry, oy), args.count_include_pad);
}

// One strip of one plane.
void average_plane(void (*band)(const AverageBandArgs&), const AveragePoolArgs& args, Bands& bands, Divisors& divisors,
                   Index plane, std::uint8_t* y) {
  const PoolGeometry& g = args.geometry;
  AverageBandArgs run;
  run.quantization = args.quantization;
  for (Index oy = 0; oy < g.out_h;) {
    run.band = bands.at(plane, oy);
    const Index end = oy + run.band.out_rows;
    while (oy < end) {  // runs of rows with the same divisors
      const Index counted = counted_rows(args, oy);
      const Index first = oy++;
      while (oy < end && counted_rows(args, oy) == counted) {
        ++oy;
      }
      run.band.out_rows = oy - first;
      run.band.y = y + first * g.out_w;
      divisors.fill(counted, run);
      band(run);
      divisors.set_empty(run.band, static_cast<std::uint8_t>(args.quantization.y_zero_point));
      run.band.band += run.band.out_rows * run.band.out_step;
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
  for_each_strip(g, strip, [&](Index first, Index windows) {
    bands.select(first, windows);
    Divisors divisors(args, first, windows);
    auto* y = static_cast<std::uint8_t*>(args.y) + first;
    for (Index plane = 0; plane < g.planes; ++plane) {
      average_plane(band, args, bands, divisors, plane, y + plane * g.out_h * g.out_w);
    }
  });
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
    MaxBandArgs run{.band = {}, .is_signed = args.is_signed};
    for (Index plane = 0; plane < g.planes; ++plane) {
      for (Index oy = 0; oy < g.out_h; oy += run.band.out_rows) {
        run.band = bands.at(plane, oy);
        run.band.y = y + (plane * g.out_h + oy) * g.out_w;
        band(run);
      }
    }
  });
}

}  // namespace assay::kernels
