// SPDX-License-Identifier: Apache-2.0
// Channel-last images for convolution, and how a matrix product reads its rows from one without a matrix of patches.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/transpose/transpose_bytes.h"
#include "engine/runtime/conv_patches.h"
#include "engine/runtime/quantized_product.h"
#include "engine/runtime/scratch.h"

namespace assay::runtime {

// An image with a border: the image's first pixel is at (top, left) of height x width pixels.
struct ImageFrame {
  Index top = 0;
  Index left = 0;
  Index height = 0;
  Index width = 0;
};
ImageFrame bare_frame(const ConvShape& shape);
// So large that every tap of every position lies within.
ImageFrame frame_of_taps(const ConvShape& shape);

// Whether the taps of a kernel row are neighbours and make whole groups of 4 bytes: what reading in place needs.
bool can_read_in_place(const ConvShape& shape);
// The rows of a block: the contraction order is (kernel y, kernel x, channel), as in patches. `image`: channel-last,
// one sample and group, with the border of frame_of_taps.
ProductRows rows_in_place(const ConvShape& shape, const std::uint8_t* image, const OutputBlock& block);

struct ImageSource {
  const kernels::TransposeKernel& transpose;
  const std::byte* x = nullptr;  // [N, C, H, W]
  std::uint8_t pad_value = 0;    // of the border
};

// Channel-last images of the samples of x, [N, group, height, width, C/group]: a few samples at a time, so that they
// stay in cache.
class ChannelLastImages {
 public:
  // Room for as many samples of such a shape as should be there at once.
  Status reserve(const ConvShape& shape, const ImageFrame& frame, int threads);
  Index most_samples() const { return most_samples_; }
  // Samples [first, first + count) of x.
  void fill(const ConvShape& shape, const ImageSource& source, Index first, Index count, int threads);
  // Of a sample that has been filled in.
  const std::uint8_t* image(Index sample, Index group) const;

 private:
  // Image rows [first, first + count) and the border beside, above and below them.
  void fill_rows(const ConvShape& shape, const ImageSource& source, const std::uint8_t* from, std::uint8_t* image,
                 Index first, Index count, std::uint8_t* pixels) const;

  ScratchBuffer buffer_;
  std::vector<ScratchBuffer> pixels_;     // of one task of every worker, before they get their border
  const std::uint8_t* images_ = nullptr;  // x itself where there is one channel per group and no border
  ImageFrame frame_;
  Index most_samples_ = 1;
  Index first_sample_ = 0;
  Index groups_ = 1;
  Index image_bytes_ = 0;
};

}  // namespace assay::runtime
