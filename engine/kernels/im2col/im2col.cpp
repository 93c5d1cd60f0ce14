// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/im2col/im2col.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace assay::kernels {
namespace {

// `count` stretches of `bytes` each, `from_step` and `to_step` bytes apart.
struct Stretches {
  const std::uint8_t* from = nullptr;
  Index from_step = 0;
  std::uint8_t* to = nullptr;
  Index to_step = 0;
  Index bytes = 0;
  Index count = 0;
};

// Stretches of kChunk to 2 * kChunk bytes: the first and the last kChunk, which may overlap.
template <std::size_t kChunk>
void copy_two_chunks(const Stretches& s) {
  using Chunk = std::array<std::uint8_t, kChunk>;
  const std::uint8_t* from = s.from;
  std::uint8_t* to = s.to;
  const Index last = s.bytes - static_cast<Index>(kChunk);
  for (Index i = 0; i < s.count; ++i) {
    Chunk head;
    Chunk tail;
    std::memcpy(&head, from, kChunk);
    std::memcpy(&tail, from + last, kChunk);
    std::memcpy(to, &head, kChunk);
    std::memcpy(to + last, &tail, kChunk);
    from += s.from_step;
    to += s.to_step;
  }
}

void copy_by_byte(const Stretches& s) {
  for (Index i = 0; i < s.count; ++i) {
    for (Index b = 0; b < s.bytes; ++b) {
      s.to[i * s.to_step + b] = s.from[i * s.from_step + b];
    }
  }
}

// Most are short: without a call for each.
void copy(const Stretches& s) {
  if (s.bytes > 64) {
    for (Index i = 0; i < s.count; ++i) {
      std::memcpy(s.to + i * s.to_step, s.from + i * s.from_step, static_cast<std::size_t>(s.bytes));
    }
  } else if (s.bytes >= 32) {
    copy_two_chunks<32>(s);
  } else if (s.bytes >= 16) {
    copy_two_chunks<16>(s);
  } else if (s.bytes >= 8) {
    copy_two_chunks<8>(s);
  } else if (s.bytes >= 4) {
    copy_two_chunks<4>(s);
  } else {
    copy_by_byte(s);
  }
}

Index floor_divide(Index a, Index b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

Index input_row(const Im2colArgs& args, Index oy, Index ky) {
  return oy * args.stride_h - args.pad_top + ky * args.dilation_h;
}

std::uint8_t* patch_row(const Im2colArgs& args, Index oy) {
  return args.rows + oy * args.out_w * args.row_stride_bytes;
}

// The taps along x of one kernel row, for all columns of one output row.
struct Line {
  const std::uint8_t* row;  // pixel 0 of the image row; null: the row lies outside the image
  Index pixel;              // bytes of a pixel; those of a row are neighbours
  std::uint8_t* out;        // the first tap of column 0; columns are row_stride_bytes apart
};

// One column whose taps may lie outside.
void write_at_border(const Im2colArgs& args, const Line& line, Index ox) {
  std::uint8_t* out = line.out + ox * args.row_stride_bytes;
  for (Index kx = 0; kx < args.kernel_w; ++kx) {
    const Index ix = ox * args.stride_w - args.pad_left + kx * args.dilation_w;
    if (line.row != nullptr && ix >= 0 && ix < args.width) {
      std::copy_n(line.row + ix * line.pixel, line.pixel, out + kx * line.pixel);
    } else {
      std::fill_n(out + kx * line.pixel, line.pixel, args.pad_value);
    }
  }
}

void write_line(const Im2colArgs& args, const Line& line) {
  // Columns [begin, end) have all their taps inside.
  Index begin = args.out_w;
  Index end = args.out_w;
  if (line.row != nullptr) {
    const Index last_tap = (args.kernel_w - 1) * args.dilation_w - args.pad_left;  // of column 0
    begin = std::clamp(-floor_divide(-args.pad_left, args.stride_w), Index{0}, args.out_w);
    end = std::clamp(floor_divide(args.width - 1 - last_tap, args.stride_w) + 1, begin, args.out_w);
  }
  for (Index ox = 0; ox < begin; ++ox) {
    write_at_border(args, line, ox);
  }
  for (Index ox = end; ox < args.out_w; ++ox) {
    write_at_border(args, line, ox);
  }
  if (begin == end) {
    return;
  }
  const bool joined = args.dilation_w == 1;  // the taps are one stretch
  for (Index kx = 0; kx < (joined ? 1 : args.kernel_w); ++kx) {
    copy({.from = line.row + (begin * args.stride_w - args.pad_left + kx * args.dilation_w) * line.pixel,
          .from_step = args.stride_w * line.pixel,
          .to = line.out + begin * args.row_stride_bytes + kx * line.pixel,
          .to_step = args.row_stride_bytes,
          .bytes = joined ? args.kernel_w * line.pixel : line.pixel,
          .count = end - begin});
  }
}

}  // namespace

void im2col_channel_first(const Im2colArgs& args) {
  const Index plane = args.height * args.width;
  for (Index oy = 0; oy < args.out_h; ++oy) {
    for (Index c = 0; c < args.channels; ++c) {
      for (Index ky = 0; ky < args.kernel_h; ++ky) {
        const Index iy = input_row(args, oy, ky);
        const bool inside = iy >= 0 && iy < args.height;
        write_line(args, {.row = inside ? args.image + c * plane + iy * args.width : nullptr,
                          .pixel = 1,
                          .out = patch_row(args, oy) + (c * args.kernel_h + ky) * args.kernel_w});
      }
    }
  }
}

void im2col_channel_last(const Im2colArgs& args) {
  for (Index oy = 0; oy < args.out_h; ++oy) {
    for (Index ky = 0; ky < args.kernel_h; ++ky) {
      const Index iy = input_row(args, oy, ky);
      const bool inside = iy >= 0 && iy < args.height;
      write_line(args, {.row = inside ? args.image + iy * args.width * args.channels : nullptr,
                        .pixel = args.channels,
                        .out = patch_row(args, oy) + ky * args.kernel_w * args.channels});
    }
  }
}

}  // namespace assay::kernels
