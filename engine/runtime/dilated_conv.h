// SPDX-License-Identifier: Apache-2.0
// A dilated float convolution as a plain one. With dilation d and stride 1, output r + d * i reads inputs r - pad + d *
// (i + k): the outputs of one phase r are a convolution without dilation over every d-th input. The phases are a batch
// of small images, for which oneDNN has fast kernels where it has none for dilation. Included by .cpp files only.
#pragma once

#include <memory>

#include "engine/base/aligned_buffer.h"
#include "engine/runtime/float_conv.h"

namespace assay::runtime {

class DilatedConv final : public ImageConv {
 public:
  // Whether the convolution has such phases, not too many and not too small.
  static bool suits(const FloatConvShape& shape, const ConvEpilogue& epilogue);

  DilatedConv(const FloatConvShape& shape, Index images, bool has_bias, const ConvEpilogue& epilogue, int threads);

  bool run(dnnl::stream& stream, const FloatConvOperands& operands) override;
  Index x_block() const override { return phases_->x_block(); }
  Index y_block() const override { return phases_->y_block(); }
  const std::string& implementation() const override { return phases_->implementation(); }

 private:
  // What one side of the convolution looks like in memory: planes of height x width pixels, `unit` floats each.
  struct Side {
    Index planes = 0;
    Index unit = 1;
  };
  void gather(const float* x, const Side& side);
  void scatter(float* y, const Side& side) const;

  FloatConvShape shape_;
  Index images_;
  int threads_;
  Index phase_rows_;  // dilations
  Index phase_columns_;
  FloatConvShape phase_shape_;
  std::unique_ptr<ImageConv> phases_;
  AlignedBuffer x_;
  AlignedBuffer y_;
};

}  // namespace assay::runtime
