// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/float_conv.h"

#include <algorithm>
#include <array>
#include <cfenv>

#include "engine/runtime/parallel.h"
#include "engine/runtime/threads.h"

namespace assay::runtime {
namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;

Dims weight_dims(const FloatConvShape& shape) {
  const Window& window = shape.window;
  if (shape.group == 1) {
    return {shape.outputs, shape.channels, window.h.kernel, window.w.kernel};
  }
  return {shape.group, shape.outputs / shape.group, shape.channels / shape.group, window.h.kernel, window.w.kernel};
}

using onednn::bind;
using onednn::unbound;

// `z`: how the operand lies that is added; null where none is.
dnnl::primitive_attr attributes_of(const ConvEpilogue& epilogue, const dnnl::memory::desc* z) {
  dnnl::post_ops steps;
  if (z != nullptr) {
    steps.append_binary(dnnl::algorithm::binary_add, *z);
  }
  if (epilogue.activation == ConvEpilogue::Activation::kLeakyRelu) {
    steps.append_eltwise(1, dnnl::algorithm::eltwise_relu, epilogue.alpha, 0);
  } else if (epilogue.activation == ConvEpilogue::Activation::kClip) {
    steps.append_eltwise(1, dnnl::algorithm::eltwise_clip, epilogue.low, epilogue.high);
  }
  dnnl::primitive_attr attributes = onednn::own_scratchpad();
  attributes.set_post_ops(steps);
  return attributes;
}

// A processor notes the invalid operations of one thread. Where a team works, nobody sees whether a NaN was lost.
bool activates_apart(const ConvEpilogue& epilogue, int threads) { return threads > 1 && epilogue.clamps(); }

ConvEpilogue of_primitive(ConvEpilogue epilogue) {
  if (activates_apart(epilogue, max_threads())) {
    epilogue.activation = ConvEpilogue::Activation::kNone;
  }
  return epilogue;
}

}  // namespace

Index FloatConv::block_of(const dnnl::memory::desc& layout, Index channels) {
  struct Row {
    Tag tag;
    Index block;
  };
  for (const Row& row : {Row{Tag::nChw8c, 8}, Row{Tag::nChw16c, 16}, Row{Tag::nhwc, channels}}) {
    if (layout == dnnl::memory::desc(layout.dims(), dnnl::memory::data_type::f32, row.tag)) {
      return row.block;
    }
  }
  return 0;
}

FloatConv::FloatConv(const FloatConvShape& shape, Index images, bool has_bias, const ConvEpilogue& epilogue)
    : FloatConv(dense_descs(shape, images), describe(shape, images, has_bias, of_primitive(epilogue)), shape.channels,
                shape.outputs, epilogue) {}

FloatConv::FloatConv(const Descs& dense, const Primitive::primitive_desc& chosen, Index channels, Index outputs,
                     const ConvEpilogue& epilogue)
    : dense_(dense),
      primitive_(chosen),
      w_change_(onednn::LayoutChange::before(dense_.w, chosen.weights_desc())),
      x_block_(block_of(chosen.src_desc(), channels)),
      y_block_(block_of(chosen.dst_desc(), outputs)),
      x_rows_(unbound(dense_.x)),
      x_blocks_(unbound(chosen.src_desc())),
      y_rows_(unbound(dense_.y)),
      y_blocks_(unbound(chosen.dst_desc())),
      z_rows_(unbound(dense_.y)),
      z_blocks_(unbound(chosen.dst_desc())),
      bias_(unbound(dense_.bias)),
      scratchpad_(chosen.scratchpad_desc()),
      implementation_(chosen.impl_info_str()),
      epilogue_(epilogue),
      threads_(max_threads()) {}

FloatConv::Descs FloatConv::dense_descs(const FloatConvShape& shape, Index images) {
  const Window& window = shape.window;
  return {.x = onednn::dense({images, shape.channels, window.h.input, window.w.input}),
          .w = onednn::dense(weight_dims(shape)),
          .bias = onednn::dense({shape.outputs}),
          .y = onednn::dense({images, shape.outputs, window.h.output, window.w.output})};
}

dnnl::convolution_forward::primitive_desc FloatConv::describe(const FloatConvShape& shape, Index images, bool has_bias,
                                                              const ConvEpilogue& epilogue) {
  const auto& [h, w] = std::pair(shape.window.h, shape.window.w);
  const auto x = onednn::any_layout({images, shape.channels, h.input, w.input});
  const auto weights = onednn::any_layout(weight_dims(shape));
  const auto y = onednn::any_layout({images, shape.outputs, h.output, w.output});
  // oneDNN derives the output size from the pads, without ceil_mode.
  const Dims strides = {h.stride, w.stride};
  const Dims dilations = {h.dilation - 1, w.dilation - 1};
  const Dims begin = {h.pad_begin, w.pad_begin};
  const Dims end = {h.pad_end, w.pad_end};
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const auto description = has_bias ? Primitive::desc(kind, algorithm, x, weights, onednn::dense({shape.outputs}), y,
                                                      strides, dilations, begin, end)
                                    : Primitive::desc(kind, algorithm, x, weights, y, strides, dilations, begin, end);
  if (!epilogue.adds) {
    return {description, attributes_of(epilogue, nullptr), onednn::engine()};
  }
  // z lies as y does, and how that is is known once it has been chosen.
  ConvEpilogue activation = epilogue;
  activation.adds = false;
  const auto chosen = describe(shape, images, has_bias, activation).dst_desc();
  return {description, attributes_of(epilogue, &chosen), onednn::engine()};
}

void FloatConv::take_x(dnnl::stream& stream, const FloatConvOperands& operands) {
  if (operands.x_in_blocks) {
    bind(x_blocks_, operands.x);
    arguments_[DNNL_ARG_SRC] = x_blocks_;
  } else {
    if (!x_change_) {
      x_change_ = onednn::LayoutChange::before(dense_.x, x_blocks_.get_desc());
    }
    bind(x_rows_, operands.x);
    arguments_[DNNL_ARG_SRC] = x_change_->convert(stream, x_rows_);
  }
}

void FloatConv::take_z(dnnl::stream& stream, const FloatConvOperands& operands) {
  dnnl::memory& argument = arguments_[DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1];
  if (operands.z_in_blocks) {
    bind(z_blocks_, operands.z);
    argument = z_blocks_;
    return;
  }
  if (!z_change_) {
    z_change_ = onednn::LayoutChange::before(dense_.y, z_blocks_.get_desc());
  }
  bind(z_rows_, operands.z);
  argument = z_change_->convert(stream, z_rows_);
}

// maxps and minps note an invalid operation where an operand is NaN and give the other one.
bool FloatConv::compute(dnnl::stream& stream) {
  const bool watches = epilogue_.clamps() && threads_ == 1;
  if (watches && std::fetestexcept(FE_INVALID) != 0) {
    std::feclearexcept(FE_INVALID);
  }
  primitive_.execute(stream, arguments_);
  stream.wait();
  return !watches || std::fetestexcept(FE_INVALID) == 0;
}

void FloatConv::activate(float* y, bool in_blocks) const {
  const auto dims = dense_.y.dims();
  const Index pixels = dims[2] * dims[3];
  const Index block = in_blocks ? y_block_ : 1;
  const Index blocks = (dims[1] + block - 1) / block;
  for_each_task(dims[0] * blocks, threads_, [&](Index task, int) {
    const Index lanes = std::min(block, dims[1] - task % blocks * block);
    float* at = y + task * pixels * block;
    for (Index pixel = 0; pixel < pixels; ++pixel, at += block) {
      std::transform(at, at + lanes, at, [this](float sum) { return activated(sum, epilogue_); });
    }
  });
}

bool FloatConv::run(dnnl::stream& stream, const FloatConvOperands& operands) {
  take_x(stream, operands);
  if (operands.z != nullptr) {
    take_z(stream, operands);
  }
  if (!operands.keep_weights || !weights_) {
    weights_ = w_change_.convert(stream, onednn::wrap(dense_.w, operands.w));
    arguments_[DNNL_ARG_WEIGHTS] = *weights_;
  }
  if (operands.bias != nullptr) {
    bind(bias_, operands.bias);
    arguments_[DNNL_ARG_BIAS] = bias_;
  }
  if (!operands.y_in_blocks && !y_change_) {
    y_change_ = onednn::LayoutChange::after(y_blocks_.get_desc(), dense_.y);
  }
  dnnl::memory& destination = operands.y_in_blocks ? y_blocks_ : y_rows_;
  bind(destination, operands.y);
  arguments_[DNNL_ARG_DST] = operands.y_in_blocks ? y_blocks_ : y_change_->target(y_rows_);
  arguments_[DNNL_ARG_SCRATCHPAD] = onednn::scratchpad(scratchpad_);
  const bool is_whole = compute(stream);
  if (!operands.y_in_blocks) {
    y_change_->finish(stream, y_rows_);
    stream.wait();
  }
  if (activates_apart(epilogue_, threads_)) {
    activate(operands.y, operands.y_in_blocks);
  }
  return is_whole;
}

}  // namespace assay::runtime
