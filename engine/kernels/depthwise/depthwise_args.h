// SPDX-License-Identifier: Apache-2.0
// The arguments of a depthwise convolution; depthwise.h has the contract. Plain structs and no other header of the
// project, because files compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct DepthwiseArgs {
  const void* x = nullptr;  // one channel: [height, width]
  bool x_signed = false;
  std::int32_t x_zero_point = 0;
  const void* w = nullptr;  // one channel: [kernel_h, kernel_w]
  bool w_signed = true;
  std::int32_t w_zero_point = 0;
  std::int32_t bias = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t kernel_h = 1;
  std::int64_t kernel_w = 1;
  std::int64_t stride_h = 1;
  std::int64_t stride_w = 1;
  std::int64_t dilation_h = 1;
  std::int64_t dilation_w = 1;
  std::int64_t pad_top = 0;
  std::int64_t pad_left = 0;
  std::int64_t out_h = 0;
  std::int64_t out_w = 0;
  std::int32_t* acc = nullptr;  // [out_h, out_w]: the sums; null: requantized bytes to y
  std::uint8_t* y = nullptr;    // [out_h, out_w], of either type
  float scale = 1;
  std::int32_t y_zero_point = 0;
  std::int32_t clamp_min = 0;
  std::int32_t clamp_max = 255;
};

// Two neighbouring elements of a band of image rows and their weights, w - w_zero_point as int16; or one with a weight
// of 0 beside it.
struct DepthwisePairs {
  static constexpr int kMost = 128;
  std::int64_t offset[kMost];   // of the first element, from where the window begins
  std::int32_t weights[kMost];  // two int16
  int count = 0;
};

// Two neighbouring elements at an even place of a window's row and their weights, as above, for the output that begins
// at the window and for its right neighbour, which begins one element later.
struct DepthwiseLanes {
  static constexpr int kMost = 128;
  std::int64_t offset[kMost];  // of the first element, from where the window begins
  std::int32_t even[kMost];    // two int16
  std::int32_t odd[kMost];
  int count = 0;
};

// Four neighbouring bytes of a band of image rows and their weights, w - w_zero_point as s8. What s8 cannot hold is a
// further quad at the same place.
struct DepthwiseQuads {
  static constexpr int kMost = 128;
  std::int64_t offset[kMost];  // of the first byte, from where the window begins
  std::int32_t weights[kMost];
  int count = 0;
  std::uint32_t sum = 0;  // of all weights, wrapping
};

// One row of the band: whole vectors of padding, at least pad_left bytes, then columns of the image and padding up to a
// whole vector. So the vectors that are written are aligned.
struct DepthwiseBandRow {
  std::int64_t before = 0;   // bytes of the vectors of padding
  std::int64_t first = 0;    // the first byte that an output reads
  std::int64_t skipped = 0;  // columns of the image before those in the band
  std::int64_t inside = 0;   // columns of the image
  std::int64_t pitch = 0;
};

}  // namespace assay::kernels
