// SPDX-License-Identifier: Apache-2.0
// A float convolution that threads share: pieces of the images, or of the output channels of one image, or of its rows
// where all channels of a pixel lie side by side, each a primitive for one thread. A primitive for several threads ends
// in a barrier, where all wait for the last; a piece that a late thread has not begun is taken over by another.
// Included by .cpp files only.
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
    Index input_row = 0;
    Index output_row = 0;
  };
  // What `count` images, or channels, of the whole are to be.
  struct Share {
    Index first = 0;
    Index count = 0;
  };
  enum class By { kImages, kOutputs, kRows };
  SplitConv(const FloatConvShape& shape, By by, int threads) : shape_(shape), by_(by), threads_(threads) {}
  static std::vector<Share> shares(Index count, Index unit, Index pieces);
  // The piece that makes this share; none where it would read nothing but padding.
  std::optional<Piece> piece_of(const Share& share, bool has_bias, const ConvEpilogue& epilogue) const;
  // What all pieces read and write in another layout than the operands', as a whole.
  void change_layouts(const FloatConv::Choice& whole, Index images);
  FloatConvOperands in_common_layouts(dnnl::stream& stream, const FloatConvOperands& operands);
  FloatConvOperands of_piece(const Piece& piece, const FloatConvOperands& all) const;

  FloatConvShape shape_;
  By by_;
  int threads_;
  std::vector<Piece> pieces_;
  // Where pieces have no rows of their own.
  std::optional<onednn::LayoutChange> x_change_;
  std::optional<onednn::LayoutChange> y_change_;
  std::optional<onednn::LayoutChange> z_change_;
  dnnl::memory x_rows_;
  dnnl::memory y_rows_;
  dnnl::memory z_rows_;
};

}  // namespace assay::runtime
