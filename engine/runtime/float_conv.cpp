// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/float_conv.h"

#include <algorithm>
#include <array>
#include <cfenv>
#include <string_view>

#include "engine/runtime/conv_finish.h"
#include "engine/runtime/threads.h"

namespace assay::runtime {
namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;

IndexList weight_dims(const FloatConvShape& shape) {
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
    : FloatConv(dense_descs(shape, images), choose(shape, images, has_bias, epilogue), shape, epilogue) {}

FloatConv::FloatConv(const Descs& dense, const Choice& choice, const FloatConvShape& shape,
                     const ConvEpilogue& epilogue)
    : dense_(dense),
      y_dims_(dense_.y.dims()),
      primitive_(choice.primitive),
      weights_desc_(choice.primitive.weights_desc()),
      x_block_(block_of(choice.primitive.src_desc(), shape.channels)),
      y_block_(block_of(choice.primitive.dst_desc(), shape.outputs)),
      x_rows_(unbound(dense_.x)),
      x_blocks_(unbound(choice.primitive.src_desc())),
      y_rows_(unbound(dense_.y)),
      y_blocks_(unbound(choice.primitive.dst_desc())),
      z_rows_(unbound(dense_.y)),
      z_blocks_(unbound(choice.primitive.dst_desc())),
      bias_(unbound(dense_.bias)),
      w_rows_(unbound(dense_.w)),
      scratchpad_(choice.primitive.scratchpad_desc()),
      implementation_(choice.primitive.impl_info_str()),
      epilogue_(epilogue),
      adds_apart_(choice.adds_apart),
      activates_apart_(choice.activates_apart),
      threads_(max_threads()) {}

FloatConv::Descs FloatConv::dense_descs(const FloatConvShape& shape, Index images) {
  const Window& window = shape.window;
  return {.x = onednn::dense({images, shape.channels, window.h.input, window.w.input}),
          .w = onednn::dense(weight_dims(shape)),
          .bias = onednn::dense({shape.outputs}),
          .y = onednn::dense({images, shape.outputs, window.h.output, window.w.output})};
}

namespace {

using ConvDesc = dnnl::convolution_forward::primitive_desc;

ConvDesc describe(const FloatConvShape& shape, Index images, bool has_bias, const dnnl::memory::desc& y,
                  const dnnl::primitive_attr& attributes) {
  const auto& [h, w] = std::pair(shape.window.h, shape.window.w);
  const auto x = onednn::any_layout({images, shape.channels, h.input, w.input});
  const auto weights = onednn::any_layout(weight_dims(shape));
  // oneDNN derives the output size from the pads, without ceil_mode.
  const Dims strides = {h.stride, w.stride};
  const Dims dilations = {h.dilation - 1, w.dilation - 1};
  const Dims begin = {h.pad_begin, w.pad_begin};
  const Dims end = {h.pad_end, w.pad_end};
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  using Desc = dnnl::convolution_forward::desc;
  const auto description =
      has_bias ? Desc(kind, algorithm, x, weights, onednn::dense({shape.outputs}), y, strides, dilations, begin, end)
               : Desc(kind, algorithm, x, weights, y, strides, dilations, begin, end);
  return {description, attributes, onednn::engine()};
}

// The implementations for what no other one takes.
bool is_last_resort(const ConvDesc& chosen) {
  const std::string_view name = chosen.impl_info_str();
  return name.find("gemm") != std::string_view::npos || name.find("ref") != std::string_view::npos;
}

}  // namespace

FloatConv::Choice FloatConv::choose(const FloatConvShape& shape, Index images, bool has_bias,
                                    const ConvEpilogue& epilogue) {
  const auto any = onednn::any_layout({images, shape.outputs, shape.window.h.output, shape.window.w.output});
  const auto described = [&](const ConvEpilogue& steps, const dnnl::memory::desc* z) {
    return describe(shape, images, has_bias, any, attributes_of(steps, z));
  };
  ConvEpilogue steps = epilogue;
  const bool clamps_apart = activates_apart(epilogue, max_threads());
  if (clamps_apart) {
    steps.activation = ConvEpilogue::Activation::kNone;
  }
  ConvEpilogue sums = steps;
  sums.adds = false;
  const ConvDesc alone = described(sums, nullptr);
  if (!epilogue.adds) {
    return {.primitive = alone, .activates_apart = clamps_apart};
  }
  // z lies as y does. Told so, oneDNN may choose another layout for y, or an implementation that is far slower.
  const auto layout = alone.dst_desc();
  const ConvDesc with_z = described(steps, &layout);
  const bool is_as_good = std::string_view(with_z.impl_info_str()) == alone.impl_info_str() || !is_last_resort(with_z);
  if (with_z.dst_desc() == layout && is_as_good) {
    return {.primitive = with_z, .activates_apart = clamps_apart};
  }
  return {.primitive = described({}, nullptr),
          .adds_apart = true,
          .activates_apart = epilogue.activation != ConvEpilogue::Activation::kNone};
}

void FloatConv::take_x(dnnl::stream& stream, const FloatConvOperands& operands) {
  if (operands.x_in_blocks) {
    bind(x_blocks_, operands.x);
    arguments_.set(DNNL_ARG_SRC, x_blocks_);
  } else {
    if (!x_change_) {
      x_change_ = onednn::LayoutChange::before(dense_.x, x_blocks_.get_desc());
    }
    bind(x_rows_, operands.x);
    arguments_.set(DNNL_ARG_SRC, x_change_->convert(stream, x_rows_));
  }
}

dnnl::memory FloatConv::take_z(dnnl::stream& stream, const FloatConvOperands& operands) {
  if (operands.z_in_blocks) {
    bind(z_blocks_, operands.z);
    return z_blocks_;
  }
  if (!z_change_) {
    z_change_ = onednn::LayoutChange::before(dense_.y, z_blocks_.get_desc());
  }
  bind(z_rows_, operands.z);
  return z_change_->convert(stream, z_rows_);
}

void FloatConv::take_weights(dnnl::stream& stream, const FloatConvOperands& operands) {
  const bool is_constant = operands.constant_w != nullptr;
  if (is_constant && weights_) {
    return;
  }
  if (is_constant && dense_.w != weights_desc_) {
    const onednn::ConstantWeights at_hand{.source = *operands.constant_w, .data = operands.w, .at_hand = dense_.w};
    shared_ = onednn::SharedLayout(stream, at_hand, weights_desc_);
    weights_ = shared_.memory();
  } else {
    if (!w_change_) {
      w_change_ = onednn::LayoutChange::before(dense_.w, weights_desc_);
    }
    bind(w_rows_, operands.w);
    weights_ = w_change_->convert(stream, w_rows_);
  }
  arguments_.set(DNNL_ARG_WEIGHTS, *weights_);
}

void FloatConv::share_weights(const FloatConv& other) {
  if (!weights_ && other.weights_->get_desc() == weights_desc_) {
    weights_ = other.weights_;
    shared_ = other.shared_;
    arguments_.set(DNNL_ARG_WEIGHTS, *weights_);
  }
}

// maxps and minps note an invalid operation where an operand is NaN and give the other one.
bool FloatConv::compute(dnnl::stream& stream) {
  const bool watches = epilogue_.clamps() && !activates_apart_;
  if (watches && std::fetestexcept(FE_INVALID) != 0) {
    std::feclearexcept(FE_INVALID);
  }
  arguments_.execute(primitive_, stream);
  stream.wait();
  return !watches || std::fetestexcept(FE_INVALID) == 0;
}

// What the primitive left out. `y` lies in blocks, or in rows.
void FloatConv::finish(float* y, const float* z, bool in_blocks) const {
  ConvEpilogue left = epilogue_;
  if (!activates_apart_) {
    left.activation = ConvEpilogue::Activation::kNone;
  }
  finish_conv({.epilogue = left,
               .y = y,
               .z = z,
               .images = y_dims_[0],
               .channels = y_dims_[1],
               .pixels = y_dims_[2] * y_dims_[3],
               .block = in_blocks ? y_block_ : 1,
               .threads = threads_});
}

bool FloatConv::run(dnnl::stream& stream, const FloatConvOperands& operands) {
  take_x(stream, operands);
  // Where z and y are in rows, a pass over the results reads them as they are.
  const bool finishes_in_blocks = operands.y_in_blocks || operands.z_in_blocks;
  const float* z = adds_apart_ ? operands.z : nullptr;
  if (operands.z != nullptr && (!adds_apart_ || finishes_in_blocks)) {
    const dnnl::memory in_blocks = take_z(stream, operands);
    if (adds_apart_) {
      z = static_cast<const float*>(in_blocks.get_data_handle());
    } else {
      arguments_.set(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, in_blocks);
    }
  }
  take_weights(stream, operands);
  if (operands.bias != nullptr) {
    bind(bias_, operands.bias);
    arguments_.set(DNNL_ARG_BIAS, bias_);
  }
  if (!operands.y_in_blocks && !y_change_) {
    y_change_ = onednn::LayoutChange::after(y_blocks_.get_desc(), dense_.y);
  }
  bind(operands.y_in_blocks ? y_blocks_ : y_rows_, operands.y);
  const dnnl::memory made = operands.y_in_blocks ? y_blocks_ : y_change_->target(y_rows_);
  arguments_.set(DNNL_ARG_DST, made);
  arguments_.set(DNNL_ARG_SCRATCHPAD, scratchpad_.bound());
  const bool is_whole = compute(stream);
  const bool finishes = adds_apart_ || activates_apart_;
  if (finishes && finishes_in_blocks) {
    finish(static_cast<float*>(made.get_data_handle()), z, true);
  }
  if (!operands.y_in_blocks) {
    y_change_->finish(stream, y_rows_);
    stream.wait();
  }
  if (finishes && !finishes_in_blocks) {
    finish(operands.y, z, false);
  }
  return is_whole;
}

}  // namespace assay::runtime
