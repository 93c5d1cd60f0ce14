// SPDX-License-Identifier: Apache-2.0
// A float convolution that threads share: pieces of the images, or of the output channels of one image, each a
// primitive for one thread. A primitive for several threads ends in a barrier, where all wait for the last; a piece
// that a late thread has not begun is taken over by another. Included by .cpp files only.
#pragma once

#include <memory>
#include <vector>

#include "engine/runtime/float_conv.h"

namespace assay::runtime {

class SplitConv final : public ImageConv {
 public:
  // Null where it cannot be split so that every piece computes as one primitive for one thread would.
  static std::unique_ptr<SplitConv> make(const FloatConvShape& shape, Index images, bool has_bias,
                                         const ConvEpilogue& epilogue, int threads);

  bool run(dnnl::stream& stream, const FloatConvOperands& operands) override;
  Index x_block() const override { return pieces_.front().conv->x_block(); }
  Index y_block() const override { return pieces_.front().conv->y_block(); }
  const std::string& implementation() const override { return pieces_.front().conv->implementation(); }

 private:
  struct Piece {
    std::unique_ptr<FloatConv> conv;
    dnnl::stream stream;
    Index image = 0;    // the first ones
    Index channel = 0;  // of the input
    Index output = 0;
  };
  // What `count` images, or channels, of the whole are to be.
  struct Share {
    Index first = 0;
    Index count = 0;
  };
  SplitConv(const FloatConvShape& shape, int threads) : shape_(shape), threads_(threads) {}
  static std::vector<Share> shares(Index count, Index unit, Index pieces);

  FloatConvShape shape_;
  int threads_;
  std::vector<Piece> pieces_;
  std::optional<onednn::LayoutChange> x_change_;  // where all pieces read the same image, and not in rows
  dnnl::memory::desc x_rows_;
};

}  // namespace assay::runtime
