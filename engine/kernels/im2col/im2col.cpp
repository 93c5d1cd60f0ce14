// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/im2col/im2col.h"

#include "engine/kernels/choose_kernel.h"

#include <algorithm>

namespace assay::kernels {

void im2col_scalar(const StretchArgs& args);
#if ASSAY_HAVE_X86
void im2col_avx2(const StretchArgs& args);
void im2col_avx512(const StretchArgs& args);
#endif

namespace {

constexpr Im2colKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"im2col_avx512", Isa::kAvx512, im2col_avx512},
    {"im2col_avx2", Isa::kAvx2, im2col_avx2},
#endif
    {"im2col_scalar", Isa::kScalar, im2col_scalar},
};

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

void write_line(const Im2colKernel& kernel, const Im2colArgs& args, const Line& line) {
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
    kernel.copy({.from = line.row + (begin * args.stride_w - args.pad_left + kx * args.dilation_w) * line.pixel,
                 .from_step = args.stride_w * line.pixel,
                 .to = line.out + begin * args.row_stride_bytes + kx * line.pixel,
                 .to_step = args.row_stride_bytes,
                 .bytes = joined ? args.kernel_w * line.pixel : line.pixel,
                 .count = end - begin});
  }
}

}  // namespace

std::span<const Im2colKernel> im2col_kernels() { return kKernels; }

const Im2colKernel& choose_im2col(const Profile& profile, const CpuFeatures& features) {
  return *choose_kernel(im2col_kernels(), profile, features).kernel;
}

void im2col_channel_first(const Im2colKernel& kernel, const Im2colArgs& args) {
  const Index plane = args.height * args.width;
  for (Index oy = 0; oy < args.out_h; ++oy) {
    for (Index c = 0; c < args.channels; ++c) {
      for (Index ky = 0; ky < args.kernel_h; ++ky) {
        const Index iy = input_row(args, oy, ky);
        const bool inside = iy >= 0 && iy < args.height;
        write_line(kernel, args,
                   {.row = inside ? args.image + c * plane + iy * args.width : nullptr,
                    .pixel = 1,
                    .out = patch_row(args, oy) + (c * args.kernel_h + ky) * args.kernel_w});
      }
    }
  }
}

void im2col_channel_last(const Im2colKernel& kernel, const Im2colArgs& args) {
  for (Index oy = 0; oy < args.out_h; ++oy) {
    for (Index ky = 0; ky < args.kernel_h; ++ky) {
      const Index iy = input_row(args, oy, ky);
      const bool inside = iy >= 0 && iy < args.height;
      write_line(kernel, args,
                 {.row = inside ? args.image + iy * args.width * args.channels : nullptr,
                  .pixel = args.channels,
                  .out = patch_row(args, oy) + ky * args.kernel_w * args.channels});
    }
  }
}

}  // namespace assay::kernels
