// SPDX-License-Identifier: Apache-2.0
// Conv on float32 with oneDNN: X [N,C,(H,)W], W [M,C/group,(kH,)kW], B [M]; Y [N,M,(oH,)oW]; for FusedConv Z like Y.
//
// oneDNN chooses its own layouts; images are converted a few at a time, so that what is converted stays in the cache.
// Primitives are kept by shape; constant weights are converted once for each.
#include <algorithm>
#include <map>

#include "engine/runtime/dilated_conv.h"
#include "engine/runtime/float_conv.h"
#include "engine/runtime/ops/conv_epilogue.h"
#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/split_conv.h"
#include "engine/runtime/threads.h"

namespace assay::runtime {
namespace {

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
void fill_without_input(const ConvShape& shape, const FloatConvOperands& operands, const ConvEpilogue& epilogue) {
  const Index plane = shape.window.h.output * shape.window.w.output;
  for (Index i = 0; i < shape.batch * shape.outputs * plane; ++i) {
    const float bias = operands.bias == nullptr ? 0.0F : operands.bias[i / plane % shape.outputs];
    operands.y[i] = activated(bias + (operands.z == nullptr ? 0.0F : operands.z[i]), epilogue);
  }
}

// Kernels one column wide read rows that follow one another: over a narrow image they are a dilated convolution of one
// long row, which oneDNN computes in full tiles where every short row would end in a part of one.
ConvShape in_one_row(const ConvShape& shape) {
  constexpr Index kNarrow = 16;
  const auto& [h, w] = std::pair(shape.window.h, shape.window.w);
  const bool is_column = w.kernel == 1 && w.stride == 1 && w.output == w.input && h.kernel > 1 && h.stride == 1 &&
                         h.pad_begin == 0 && h.output == h.input - h.span() + 1;
  if (!is_column || w.input > kNarrow || w.input == 1) {
    return shape;
  }
  ConvShape row = shape;
  row.window.h = {};
  row.window.w = {
      .input = h.input * w.input, .kernel = h.kernel, .dilation = h.dilation * w.input, .output = h.output * w.input};
  return row;
}

class Conv : public Operator {
 public:
  Conv(WindowSpec spec, Index group, bool weights_constant, const ConvEpilogue& epilogue)
      : spec_(std::move(spec)),
        group_(group),
        epilogue_(epilogue),
        weights_constant_(weights_constant),
        stream_(onednn::engine()),
        info_(onednn::undecided_kernel_info()) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(0);
    ASSAY_TRY(check_type(x, "X", {DType::kFloat32}));
    ASSAY_ASSIGN(const ConvShape shape, resolve_shape(context, x.shape(), spec_, group_));
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32,
                                                          shape.window.output_shape({shape.batch, shape.outputs})));
    const int workers = threads_worth(shape.macs(), context.threads);
    const ThreadScope threads(workers);
    FloatConvOperands operands = operands_of(context);
    operands.x = x.data<float>().data();
    operands.y = y.mutable_data<float>().data();
    if (epilogue_.adds) {
      ASSAY_TRY(check_addend(context.input(3), y.shape()));
      operands.z = context.input(3).data<float>().data();
    }
    if (y.size() > 0 && x.size() > 0) {
      ASSAY_TRY(onednn::call([&]() -> Status {
        const Index images = images_at_once(shape, workers);
        context.lost_nan = !compute({.shape = shape,
                                     .images = images,
                                     .x_size = shape.image_size(),
                                     .y_size = shape.result_size(),
                                     .threads = workers},
                                    operands);
        return {};
      }));
    } else if (y.size() > 0) {
      fill_without_input(shape, operands, epilogue_);
    }
    context.multiply_accumulates = shape.macs();
    outputs.push_back(std::move(y));
    return {};
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
    const int workers = threads_worth(shape.macs(), context.threads);
    const ThreadScope threads(workers);
    return onednn::call([&]() -> Result<ChannelBlocks> {
      const Index images = images_at_once(shape, workers);
      const Index x_block = from_blocks ? context.blocks[0].block() : 0;
      const Index y_block = block_of_result(
          shape, {.images = images, .has_bias = !context.input(2).empty(), .threads = workers}, x_block);
      if (y_block == 0 || shape.result_size() == 0) {
        return ChannelBlocks();
      }
      const Shape y_shape = shape.window.output_shape({shape.batch, shape.outputs});
      FloatConvOperands operands = operands_of(context);
      if (epilogue_.adds) {
        operands.z_in_blocks = !context.blocks[3].empty();
        if (operands.z_in_blocks && context.blocks[3].block() != y_block) {
          return ChannelBlocks();
        }
        const Tensor& z = operands.z_in_blocks ? context.blocks[3].data : context.input(3);
        ASSAY_TRY(check_addend(z, operands.z_in_blocks ? z.shape() : y_shape));
        operands.z = z.data<float>().data();
      }
      ASSAY_ASSIGN(ChannelBlocks y, allocate_blocks(y_shape, y_block));
      operands.x = x.data<float>().data();
      operands.y = y.data.mutable_data<float>().data();
      operands.x_in_blocks = from_blocks;
      operands.y_in_blocks = true;
      context.lost_nan = !compute({.shape = shape,
                                   .images = images,
                                   .x_size = x.size() / shape.batch,
                                   .y_size = y.data.size() / shape.batch,
                                   .threads = workers},
                                  operands);
      context.multiply_accumulates = shape.macs();
      return y;
    });
  }

  bool owns_output() const override { return true; }
  KernelInfo kernel() const override { return info_; }

 private:
  struct Work {
    const ConvShape& shape;
    Index images = 1;  // of one call
    Index x_size = 0;  // of an image, in floats as they lie in memory
    Index y_size = 0;
    int threads = 1;
  };

  struct Variant {
    Index images = 1;
    bool has_bias = false;
    int threads = 1;
  };

  FloatConvOperands operands_of(const RunContext& context) const {
    const Tensor& bias = context.input(2);
    return {.w = context.input(1).data<float>().data(),
            .bias = bias.empty() ? nullptr : bias.data<float>().data(),
            .constant_w = weights_constant_ ? &context.input(1) : nullptr};
  }

  static Status check_addend(const Tensor& z, const Shape& shape) {
    ASSAY_TRY(check_type(z, "Z", {DType::kFloat32}));
    if (z.shape() != shape) {
      return invalid_argument("Z must have Y's shape " + shape_text(shape) + "; found " + shape_text(z.shape()));
    }
    return {};
  }

  static Index images_at_once(const ConvShape& shape, int threads) {
    const Index bytes_per_image = (shape.image_size() + shape.result_size()) * static_cast<Index>(sizeof(float));
    return std::clamp<Index>(kBlockBytes * threads / std::max<Index>(bytes_per_image, 1), 1, shape.batch);
  }

  // What every primitive of the batch writes, if each reads blocks of `x_block` (0: rows); else 0.
  Index block_of_result(const ConvShape& shape, const Variant& whole, Index x_block) {
    Index y_block = 0;
    for (const Index size : {whole.images, shape.batch % whole.images}) {
      if (size == 0) {
        continue;
      }
      const ImageConv& conv = primitive(shape, {.images = size, .has_bias = whole.has_bias, .threads = whole.threads});
      const bool fits = (x_block == 0 || conv.x_block() == x_block) && (y_block == 0 || conv.y_block() == y_block);
      if (!fits || conv.y_block() == 0) {
        return 0;
      }
      y_block = conv.y_block();
    }
    return y_block;
  }

  // As ImageConv::run.
  bool compute(const Work& work, FloatConvOperands operands) {
    bool is_whole = true;
    for (Index first = 0; first < work.shape.batch; first += work.images) {
      const Index images = std::min(work.images, work.shape.batch - first);
      ImageConv& conv =
          primitive(work.shape, {.images = images, .has_bias = operands.bias != nullptr, .threads = work.threads});
      is_whole = conv.run(stream_, operands) && is_whole;
      operands.x += images * work.x_size;
      operands.y += images * work.y_size;
      if (operands.z != nullptr) {
        operands.z += images * (operands.z_in_blocks ? work.y_size : work.shape.result_size());
      }
    }
    return is_whole;
  }

  ImageConv& primitive(const ConvShape& shape, const Variant& variant) {
    IndexList key = shape.key(variant.images);
    key.push_back(variant.threads);  // for which a primitive is made
    auto found = primitives_.find(key);
    if (found == primitives_.end()) {
      if (primitives_.size() >= kMaxPrimitives) {
        primitives_.clear();
        last_ = nullptr;
      }
      found = primitives_.emplace(key, make_primitive(shape, variant)).first;
    }
    if (last_ != found->second.get()) {
      last_ = found->second.get();
      info_ = onednn::kernel_info(last_->implementation());
    }
    return *found->second;
  }

  std::unique_ptr<ImageConv> make_primitive(const ConvShape& given, const Variant& variant) const {
    const ConvShape shape = in_one_row(given);
    if (variant.threads > 1) {
      if (auto split = SplitConv::make(shape, variant.images, variant.has_bias, epilogue_, variant.threads)) {
        return split;
      }
    }
    auto plain = std::make_unique<FloatConv>(shape, variant.images, variant.has_bias, epilogue_);
    if (plain->y_block() != 0 || !DilatedConv::suits(shape, epilogue_)) {
      return plain;
    }
    auto phases = std::make_unique<DilatedConv>(shape, variant.images, variant.has_bias, epilogue_, variant.threads);
    return phases->y_block() == 0 ? std::unique_ptr<ImageConv>(std::move(plain)) : std::move(phases);
  }

  WindowSpec spec_;
  Index group_;
  ConvEpilogue epilogue_;
  bool weights_constant_;
  dnnl::stream stream_;
  KernelInfo info_;
  std::map<IndexList, std::unique_ptr<ImageConv>> primitives_;
  const ImageConv* last_ = nullptr;  // that info_ tells of
};

}  // namespace

OperatorResult prepare_conv(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 3));
  return prepare_conv_with(context, {});
}

OperatorResult prepare_conv_with(const PrepareContext& context, const ConvEpilogue& epilogue) {
  ASSAY_ASSIGN(WindowSpec spec, read_window_spec(context.node));
  const Index group = context.node.int_attribute("group", 1);
  if (group < 1) {
    return invalid_model("group must be at least 1; found " + std::to_string(group));
  }
  return onednn::call([&]() -> OperatorResult {
    return std::unique_ptr<Operator>(
        std::make_unique<Conv>(std::move(spec), group, context.constant(1) != nullptr, epilogue));
  });
}

}  // namespace assay::runtime
