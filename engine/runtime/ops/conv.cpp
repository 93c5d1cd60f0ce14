// SPDX-License-Identifier: Apache-2.0
// Conv on float32 with oneDNN: X [N,C,(H,)W], W [M,C/group,(kH,)kW], B [M]; Y [N,M,(oH,)oW].
//
// oneDNN chooses its own layouts; images are converted a few at a time, so that what is converted stays in the cache.
// Primitives are kept by shape; constant weights are converted once for each.
#include <algorithm>
#include <map>

#include "engine/runtime/float_conv.h"
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

using Dims = dnnl::memory::dims;
using ConvShape = FloatConvShape;

// Bytes of input and output that one call of the primitive handles, per thread.
constexpr Index kBlockBytes = Index{1} << 18;
// Primitives kept; a session that sees more shapes than this builds them again.
constexpr std::size_t kMaxPrimitives = 16;

Result<ConvShape> resolve_shape(const RunContext& run, const Shape& x, const WindowSpec& spec, Index group) {
  const Tensor& w = run.input(1);
  const Tensor& bias = run.input(2);
  ASSAY_TRY(check_type(w, "W", {DType::kFloat32}));
  if (w.rank() < 3) {
    return invalid_argument("W must have the shape [M,C/group,kW] or [M,C/group,kH,kW]; found " +
                            shape_text(w.shape()));
  }
  ConvShape shape;
  ASSAY_ASSIGN(shape.window, resolve_window(spec, x, {w.shape().begin() + 2, w.shape().end()}));
  shape.batch = x[0];
  shape.channels = x[1];
  shape.outputs = w.dim(0);
  shape.group = group;
  if (shape.channels % group != 0 || shape.channels / group != w.dim(1)) {
    return invalid_argument("X must have group * W's dimension 1 = " + std::to_string(group) + " * " +
                            std::to_string(w.dim(1)) + " channels; found " + std::to_string(shape.channels));
  }
  if (shape.outputs % group != 0) {
    return invalid_argument("W's dimension 0 must be a multiple of group " + std::to_string(group) + "; found " +
                            std::to_string(shape.outputs));
  }
  if (!bias.empty()) {
    ASSAY_TRY(check_type(bias, "B", {DType::kFloat32}));
    if (bias.shape() != Shape{shape.outputs}) {
      return invalid_argument("B must have the shape [" + std::to_string(shape.outputs) + "]; found " +
                              shape_text(bias.shape()));
    }
  }
  return shape;
}

// What remains of a convolution over no input elements.
void fill_with_bias(const ConvShape& shape, const float* bias, float* y) {
  const Index plane = shape.window.h.output * shape.window.w.output;
  for (Index row = 0; row < shape.batch * shape.outputs; ++row) {
    std::fill(y, y + plane, bias == nullptr ? 0.0F : bias[row % shape.outputs]);
    y += plane;
  }
}

class Conv : public Operator {
 public:
  Conv(WindowSpec spec, Index group, bool weights_constant)
      : spec_(std::move(spec)),
        group_(group),
        weights_constant_(weights_constant),
        stream_(onednn::engine()),
        info_(onednn::undecided_kernel_info()) {}

  Result<std::vector<Tensor>> run(RunContext& context) override {
    const Tensor& x = context.input(0);
    ASSAY_TRY(check_type(x, "X", {DType::kFloat32}));
    ASSAY_ASSIGN(const ConvShape shape, resolve_shape(context, x.shape(), spec_, group_));
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32,
                                                          shape.window.output_shape({shape.batch, shape.outputs})));
    FloatConvOperands operands = operands_of(context);
    operands.x = x.data<float>().data();
    operands.y = y.mutable_data<float>().data();
    if (y.size() > 0 && x.size() > 0) {
      ASSAY_TRY(onednn::call([&]() -> Status {
        const Index images = images_at_once(shape, context.threads);
        compute({.shape = shape, .images = images, .x_size = shape.image_size(), .y_size = shape.result_size()},
                operands);
        return {};
      }));
    } else if (y.size() > 0) {
      fill_with_bias(shape, operands.bias, operands.y);
    }
    context.multiply_accumulates = shape.macs();
    return one_output(std::move(y));
  }

  bool takes_blocks() const override { return true; }
  bool makes_blocks() const override { return true; }

  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const bool from_blocks = !context.blocks[0].empty();
    const Tensor& x = from_blocks ? context.blocks[0].data : context.input(0);
    const Shape& x_shape = from_blocks ? context.blocks[0].shape : x.shape();
    if (x.dtype() != DType::kFloat32 || x.size() == 0 || x_shape.size() < 3 || context.input(1).empty() ||
        (context.blocks.size() > 2 && !context.blocks[2].empty())) {
      return ChannelBlocks();
    }
    ASSAY_ASSIGN(const ConvShape shape, resolve_shape(context, x_shape, spec_, group_));
    return onednn::call([&]() -> Result<ChannelBlocks> {
      const Index images = images_at_once(shape, context.threads);
      const Index x_block = from_blocks ? context.blocks[0].block() : 0;
      const Index y_block = block_of_result(shape, images, !context.input(2).empty(), x_block);
      if (y_block == 0 || shape.result_size() == 0) {
        return ChannelBlocks();
      }
      ASSAY_ASSIGN(ChannelBlocks y, allocate_blocks(shape.window.output_shape({shape.batch, shape.outputs}), y_block));
      FloatConvOperands operands = operands_of(context);
      operands.x = x.data<float>().data();
      operands.y = y.data.mutable_data<float>().data();
      operands.x_in_blocks = from_blocks;
      operands.y_in_blocks = true;
      compute(
          {.shape = shape, .images = images, .x_size = x.size() / shape.batch, .y_size = y.data.size() / shape.batch},
          operands);
      context.multiply_accumulates = shape.macs();
      return y;
    });
  }

  KernelInfo kernel() const override { return info_; }

 private:
  struct Work {
    const ConvShape& shape;
    Index images = 1;  // of one call
    Index x_size = 0;  // of an image, in floats as they lie in memory
    Index y_size = 0;
  };

  FloatConvOperands operands_of(const RunContext& context) const {
    const Tensor& bias = context.input(2);
    return {.w = context.input(1).data<float>().data(),
            .bias = bias.empty() ? nullptr : bias.data<float>().data(),
            .keep_weights = weights_constant_};
  }

  static Index images_at_once(const ConvShape& shape, int threads) {
    const Index bytes_per_image = (shape.image_size() + shape.result_size()) * static_cast<Index>(sizeof(float));
    return std::clamp<Index>(kBlockBytes * threads / std::max<Index>(bytes_per_image, 1), 1, shape.batch);
  }

  // What every primitive of the batch writes, if each reads blocks of `x_block` (0: rows); else 0.
  Index block_of_result(const ConvShape& shape, Index images, bool has_bias, Index x_block) {
    Index y_block = 0;
    for (const Index size : {images, shape.batch % images}) {
      if (size == 0) {
        continue;
      }
      const FloatConv& conv = primitive(shape, size, has_bias);
      const bool fits = (x_block == 0 || conv.x_block() == x_block) && (y_block == 0 || conv.y_block() == y_block);
      if (!fits || conv.y_block() == 0) {
        return 0;
      }
      y_block = conv.y_block();
    }
    return y_block;
  }

  void compute(const Work& work, FloatConvOperands operands) {
    for (Index first = 0; first < work.shape.batch; first += work.images) {
      const Index images = std::min(work.images, work.shape.batch - first);
      FloatConv& conv = primitive(work.shape, images, operands.bias != nullptr);
      conv.run(stream_, operands);
      operands.x += images * work.x_size;
      operands.y += images * work.y_size;
    }
  }

  FloatConv& primitive(const ConvShape& shape, Index images, bool has_bias) {
    const Dims key = shape.key(images);
    auto found = primitives_.find(key);
    if (found == primitives_.end()) {
      if (primitives_.size() >= kMaxPrimitives) {
        primitives_.clear();
      }
      found = primitives_.emplace(key, FloatConv(shape, images, has_bias)).first;
    }
    info_ = onednn::kernel_info(found->second.implementation());
    return found->second;
  }

  WindowSpec spec_;
  Index group_;
  bool weights_constant_;
  dnnl::stream stream_;
  KernelInfo info_;
  std::map<Dims, FloatConv> primitives_;
};

}  // namespace

OperatorResult prepare_conv(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 3));
  ASSAY_ASSIGN(WindowSpec spec, read_window_spec(context.node));
  const Index group = context.node.int_attribute("group", 1);
  if (group < 1) {
    return invalid_model("group must be at least 1; found " + std::to_string(group));
  }
  return onednn::call([&]() -> OperatorResult {
    return std::unique_ptr<Operator>(std::make_unique<Conv>(std::move(spec), group, context.constant(1) != nullptr));
  });
}

}  // namespace assay::runtime
