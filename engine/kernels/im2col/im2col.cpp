// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/im2col/im2col.h"

#include <algorithm>
#include <cstring>

#include "engine/base/aligned_buffer.h"
#include "engine/kernels/transpose/transpose_bytes.h"

namespace assay::kernels {
namespace {

// Copies of a few bytes, which are most of them, without a call.
void copy_bytes(const std::uint8_t* from, Index count, std::uint8_t* to) {
  if (count >= 16) {
    std::memcpy(to, from, static_cast<std::size_t>(count));
  } else if (count >= 8) {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::memcpy(&head, from, sizeof head);
    std::memcpy(&tail, from + count - 8, sizeof tail);
    std::memcpy(to, &head, sizeof head);
    std::memcpy(to + count - 8, &tail, sizeof tail);
  } else if (count >= 4) {
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    std::memcpy(&head, from, sizeof head);
    std::memcpy(&tail, from + count - 4, sizeof tail);
    std::memcpy(to, &head, sizeof head);
    std::memcpy(to + count - 4, &tail, sizeof tail);
  } else {
    for (Index i = 0; i < count; ++i) {
      to[i] = from[i];
    }
  }
}

// Where a line of taps along x reads: pixel t of the line is `pixel` bytes wide, pixels of a row are neighbours.
struct Line {
  const std::uint8_t* row;  // pixel 0 of the image row; null: the row lies outside the image
  Index pixel;              // bytes
};

// The kernel_w taps of output column ox, one after the other.
void write_line(const Im2colArgs& args, const Line& line, Index ox, std::uint8_t* out) {
  if (line.row == nullptr) {
    std::fill_n(out, args.kernel_w * line.pixel, args.pad_value);
    return;
  }
  const Index first = ox * args.stride_w - args.pad_left;
  if (args.dilation_w != 1) {
    for (Index kx = 0; kx < args.kernel_w; ++kx) {
      const Index ix = first + kx * args.dilation_w;
      if (ix >= 0 && ix < args.width) {
        copy_bytes(line.row + ix * line.pixel, line.pixel, out + kx * line.pixel);
      } else {
        std::fill_n(out + kx * line.pixel, line.pixel, args.pad_value);
      }
    }
    return;
  }
  const Index begin = std::clamp(-first, Index{0}, args.kernel_w);
  const Index end = std::clamp(args.width - first, begin, args.kernel_w);
  std::fill_n(out, begin * line.pixel, args.pad_value);
  if (begin < end) {
    copy_bytes(line.row + (first + begin) * line.pixel, (end - begin) * line.pixel, out + begin * line.pixel);
  }
  std::fill_n(out + end * line.pixel, (args.kernel_w - end) * line.pixel, args.pad_value);
}

Index input_row(const Im2colArgs& args, Index oy, Index ky) {
  return oy * args.stride_h - args.pad_top + ky * args.dilation_h;
}

bool is_inside(const Im2colArgs& args, Index iy) { return iy >= 0 && iy < args.height; }

std::uint8_t* patch_row(const Im2colArgs& args, Index oy, Index ox) {
  return args.rows + (oy * args.out_w + ox) * args.row_stride_bytes;
}

void write_channel_then_kernel(const Im2colArgs& args) {
  const Index plane = args.height * args.width;
  for (Index oy = 0; oy < args.out_h; ++oy) {
    for (Index c = 0; c < args.channels; ++c) {
      for (Index ky = 0; ky < args.kernel_h; ++ky) {
        const Index iy = input_row(args, oy, ky);
        const Line line{is_inside(args, iy) ? args.image + c * plane + iy * args.width : nullptr, 1};
        for (Index ox = 0; ox < args.out_w; ++ox) {
          write_line(args, line, ox, patch_row(args, oy, ox) + (c * args.kernel_h + ky) * args.kernel_w);
        }
      }
    }
  }
}

// A channel-last image of the rows [first_row, ...) makes every line of taps one stretch of memory.
void write_from_channel_last(const Im2colArgs& args, const std::uint8_t* image, Index first_row) {
  const Index line_bytes = args.kernel_w * args.channels;
  for (Index oy = 0; oy < args.out_h; ++oy) {
    for (Index ky = 0; ky < args.kernel_h; ++ky) {
      const Index iy = input_row(args, oy, ky);
      const Line line{is_inside(args, iy) ? image + (iy - first_row) * args.width * args.channels : nullptr,
                      args.channels};
      for (Index ox = 0; ox < args.out_w; ++ox) {
        write_line(args, line, ox, patch_row(args, oy, ox) + ky * line_bytes);
      }
    }
  }
}

// Byte by byte: where there is no memory for a channel-last image.
void write_from_channel_first(const Im2colArgs& args) {
  for (Index oy = 0; oy < args.out_h; ++oy) {
    for (Index ox = 0; ox < args.out_w; ++ox) {
      std::uint8_t* out = patch_row(args, oy, ox);
      for (Index ky = 0; ky < args.kernel_h; ++ky) {
        const Index iy = input_row(args, oy, ky);
        for (Index kx = 0; kx < args.kernel_w; ++kx) {
          const Index ix = ox * args.stride_w - args.pad_left + kx * args.dilation_w;
          const bool inside = is_inside(args, iy) && ix >= 0 && ix < args.width;
          for (Index c = 0; c < args.channels; ++c) {
            *out++ = inside ? args.image[(c * args.height + iy) * args.width + ix] : args.pad_value;
          }
        }
      }
    }
  }
}

void write_kernel_then_channel(const Im2colArgs& args) {
  if (args.out_h == 0 || args.kernel_h == 0) {
    return;
  }
  const Index first_row = std::clamp(input_row(args, 0, 0), Index{0}, args.height);
  const Index end_row = std::clamp(input_row(args, args.out_h - 1, args.kernel_h - 1) + 1, first_row, args.height);
  const std::uint8_t* first = args.image + first_row * args.width;
  if (args.channels == 1) {
    write_from_channel_last(args, first, first_row);
    return;
  }
  const Index pixels = (end_row - first_row) * args.width;
  Result<AlignedBuffer> scratch = AlignedBuffer::allocate(static_cast<std::size_t>(pixels * args.channels));
  if (!scratch.ok()) {
    write_from_channel_first(args);
    return;
  }
  auto* image = reinterpret_cast<std::uint8_t*>(scratch.value().data());
  transpose_bytes({.from = first,
                   .rows = args.channels,
                   .columns = pixels,
                   .from_stride = args.height * args.width,
                   .to = image,
                   .to_stride = args.channels});
  write_from_channel_last(args, image, first_row);
}

}  // namespace

void im2col(const Im2colArgs& args) {
  if (args.order == PatchOrder::kKernelThenChannel) {
    write_kernel_then_channel(args);
  } else {
    write_channel_then_kernel(args);
  }
}

}  // namespace assay::kernels
