// SPDX-License-Identifier: Apache-2.0
// Convolution primitives of oneDNN on float32, for Conv and FusedConv. oneDNN chooses its own layouts. Included by .cpp
// files only.
#pragma once

#include "engine/runtime/onednn.h"
#include "engine/runtime/ops/conv_epilogue.h"
#include "engine/runtime/shared_layout.h"
#include "engine/runtime/window.h"

namespace assay::runtime {

struct FloatConvShape {
  Index batch = 0;
  Index channels = 0;
  Index outputs = 0;
  Index group = 1;
  Window window;

  Index image_size() const { return channels * window.h.input * window.w.input; }
  Index result_size() const { return outputs * window.h.output * window.w.output; }
  Index macs() const { return batch * result_size() * (channels / group) * window.h.kernel * window.w.kernel; }
  // What tells primitives of one node apart.
  IndexList key(Index images) const {
    return {images, channels, outputs, window.h.input, window.w.input, window.h.kernel, window.w.kernel};
  }
};

struct FloatConvOperands {
  const float* x = nullptr;
  const float* w = nullptr;
  const float* bias = nullptr;
  const float* z = nullptr;  // for an epilogue that adds
  float* y = nullptr;
  bool x_in_blocks = false;            // of x_block() channels; else row-major
  bool y_in_blocks = false;            // of y_block()
  bool z_in_blocks = false;            // of y_block()
  const Tensor* constant_w = nullptr;  // that w lies in, where it is the same in every run
};

// A convolution of one shape over a number of images.
class ImageConv {
 public:
  ImageConv() = default;
  ImageConv(const ImageConv&) = delete;
  ImageConv& operator=(const ImageConv&) = delete;
  virtual ~ImageConv() = default;

  // False: an epilogue that clamps may have met a NaN and lost it.
  [[nodiscard]] virtual bool run(dnnl::stream& stream, const FloatConvOperands& operands) = 0;
  // Channels in a block (channel_blocks.h) of what it reads and writes; 0 where it wants another layout.
  virtual Index x_block() const = 0;
  virtual Index y_block() const = 0;
  virtual const std::string& implementation() const = 0;
};

// One primitive with its layout changes.
class FloatConv final : public ImageConv {
 public:
  FloatConv(const FloatConvShape& shape, Index images, bool has_bias, const ConvEpilogue& epilogue);

  bool run(dnnl::stream& stream, const FloatConvOperands& operands) override;
  Index x_block() const override { return x_block_; }
  Index y_block() const override { return y_block_; }
  const std::string& implementation() const override { return implementation_; }

  // Constant weights, before a first run.
  void take_weights(dnnl::stream& stream, const FloatConvOperands& operands);
  // Keeps those that `other` has taken, where they lie as this one wants them; it has the same ones.
  void share_weights(const FloatConv& other);

  using Primitive = dnnl::convolution_forward;
  // The primitive, and what of the epilogue it leaves to a pass over its results.
  struct Choice {
    Primitive::primitive_desc primitive;
    bool adds_apart = false;
    bool activates_apart = false;
  };
  static Choice choose(const FloatConvShape& shape, Index images, bool has_bias, const ConvEpilogue& epilogue);
  // Channels in a block of a layout that is [N, ceil(C / B), H, W, B], else 0.
  static Index block_of(const dnnl::memory::desc& layout, Index channels);

 private:
  struct Descs {
    dnnl::memory::desc x, w, bias, y;
  };
  FloatConv(const Descs& dense, const Choice& choice, const FloatConvShape& shape, const ConvEpilogue& epilogue);
  static Descs dense_descs(const FloatConvShape& shape, Index images);
  void take_x(dnnl::stream& stream, const FloatConvOperands& operands);
  dnnl::memory take_z(dnnl::stream& stream, const FloatConvOperands& operands);
  bool compute(dnnl::stream& stream);
  void finish(float* y, const float* z, bool in_blocks) const;

  Descs dense_;
  Shape y_dims_;
  Primitive primitive_;
  // Made when first needed: an operand in blocks needs none, nor do weights that another one has.
  std::optional<onednn::LayoutChange> w_change_;
  std::optional<onednn::LayoutChange> x_change_;
  std::optional<onednn::LayoutChange> y_change_;
  std::optional<onednn::LayoutChange> z_change_;
  dnnl::memory::desc weights_desc_;
  Index x_block_;
  Index y_block_;
  // On the operands of a run, in rows and as the primitive wants them.
  dnnl::memory x_rows_;
  dnnl::memory x_blocks_;
  dnnl::memory y_rows_;
  dnnl::memory y_blocks_;
  dnnl::memory z_rows_;
  dnnl::memory z_blocks_;
  dnnl::memory bias_;
  dnnl::memory w_rows_;
  std::optional<dnnl::memory> weights_;
  onednn::SharedLayout shared_;  // constant ones that had to be laid out
  onednn::Arguments arguments_;
  onednn::Scratchpad scratchpad_;
  std::string implementation_;
  ConvEpilogue epilogue_;
  bool adds_apart_;
  bool activates_apart_;
  int threads_;  // of OpenMP
};

}  // namespace assay::runtime
