// SPDX-License-Identifier: Apache-2.0
// Conv on float32 with oneDNN: X [N,C,(H,)W], W [M,C/group,(kH,)kW], B [M]; Y [N,M,(oH,)oW].
//
// oneDNN chooses its own layouts; images are converted a few at a time, so that what is converted stays in the cache.
// Primitives are kept by shape; constant weights are converted once for each.
#include <algorithm>
#include <map>

#include "engine/runtime/onednn.h"
#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/window.h"

namespace assay::runtime {
namespace {

using Dims = dnnl::memory::dims;

// Bytes of input and output that one call of the primitive handles, per thread.
constexpr Index kBlockBytes = Index{1} << 18;
// Primitives kept; a session that sees more shapes than this builds them again.
constexpr std::size_t kMaxPrimitives = 16;

struct ConvShape {
  Index batch = 0;
  Index channels = 0;
  Index outputs = 0;
  Index group = 1;
  Window window;

  Index image_size() const { return channels * window.h.input * window.w.input; }
  Index result_size() const { return outputs * window.h.output * window.w.output; }
  Index macs() const { return batch * result_size() * (channels / group) * window.h.kernel * window.w.kernel; }
  // What tells primitives of one node apart.
  Dims key(Index images) const {
    return {images, channels, outputs, window.h.input, window.w.input, window.h.kernel, window.w.kernel};
  }
};

struct Operands {
  const float* x = nullptr;
  const float* w = nullptr;
  const float* bias = nullptr;
  float* y = nullptr;
};

// One primitive for a number of images with its layout changes.
class ConvPrimitive {
 public:
  ConvPrimitive(const ConvShape& shape, Index images, bool has_bias)
      : ConvPrimitive(dense_descs(shape, images), describe(shape, images, has_bias)) {}

  // `keep_weights`: they are the same in every run.
  void run(dnnl::stream& stream, const Operands& operands, bool keep_weights) {
    dnnl::memory x = x_change_.convert(stream, onednn::wrap(dense_.x, operands.x));
    if (!keep_weights || !weights_) {
      weights_ = w_change_.convert(stream, onednn::wrap(dense_.w, operands.w));
    }
    const dnnl::memory destination = onednn::wrap(dense_.y, operands.y);
    const dnnl::memory y = y_change_.target(destination);
    std::unordered_map<int, dnnl::memory> arguments = {
        {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, *weights_}, {DNNL_ARG_DST, y}};
    if (operands.bias != nullptr) {
      arguments.emplace(DNNL_ARG_BIAS, onednn::wrap(dense_.bias, operands.bias));
    }
    primitive_.execute(stream, arguments);
    y_change_.finish(stream, destination);
    stream.wait();
  }

  const std::string& implementation() const { return implementation_; }

 private:
  struct Descs {
    dnnl::memory::desc x, w, bias, y;
  };
  using Primitive = dnnl::convolution_forward;

  static Dims weight_dims(const ConvShape& shape) {
    const Window& window = shape.window;
    if (shape.group == 1) {
      return {shape.outputs, shape.channels, window.h.kernel, window.w.kernel};
    }
    return {shape.group, shape.outputs / shape.group, shape.channels / shape.group, window.h.kernel, window.w.kernel};
  }

  static Descs dense_descs(const ConvShape& shape, Index images) {
    const Window& window = shape.window;
    return {.x = onednn::dense({images, shape.channels, window.h.input, window.w.input}),
            .w = onednn::dense(weight_dims(shape)),
            .bias = onednn::dense({shape.outputs}),
            .y = onednn::dense({images, shape.outputs, window.h.output, window.w.output})};
  }

  static Primitive::primitive_desc describe(const ConvShape& shape, Index images, bool has_bias) {
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
    return {description, onednn::engine()};
  }

  ConvPrimitive(const Descs& dense, const Primitive::primitive_desc& chosen)
      : dense_(dense),
        primitive_(chosen),
        x_change_(onednn::LayoutChange::before(dense_.x, chosen.src_desc())),
        w_change_(onednn::LayoutChange::before(dense_.w, chosen.weights_desc())),
        y_change_(onednn::LayoutChange::after(chosen.dst_desc(), dense_.y)),
        implementation_(chosen.impl_info_str()) {}

  Descs dense_;
  Primitive primitive_;
  onednn::LayoutChange x_change_;
  onednn::LayoutChange w_change_;
  onednn::LayoutChange y_change_;
  std::optional<dnnl::memory> weights_;
  std::string implementation_;
};

Result<ConvShape> resolve_shape(const RunContext& run, const WindowSpec& spec, Index group) {
  const Tensor& x = run.input(0);
  const Tensor& w = run.input(1);
  const Tensor& bias = run.input(2);
  ASSAY_TRY(check_type(x, "X", {DType::kFloat32}));
  ASSAY_TRY(check_type(w, "W", {DType::kFloat32}));
  if (w.rank() < 3) {
    return invalid_argument("W must have the shape [M,C/group,kW] or [M,C/group,kH,kW]; found " +
                            shape_text(w.shape()));
  }
  ConvShape shape;
  ASSAY_ASSIGN(shape.window, resolve_window(spec, x.shape(), {w.shape().begin() + 2, w.shape().end()}));
  shape.batch = x.dim(0);
  shape.channels = x.dim(1);
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
    ASSAY_ASSIGN(const ConvShape shape, resolve_shape(context, spec_, group_));
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32,
                                                          shape.window.output_shape({shape.batch, shape.outputs})));
    const Tensor& bias = context.input(2);
    const Operands operands{.x = context.input(0).data<float>().data(),
                            .w = context.input(1).data<float>().data(),
                            .bias = bias.empty() ? nullptr : bias.data<float>().data(),
                            .y = y.mutable_data<float>().data()};
    if (y.size() > 0 && context.input(0).size() > 0) {
      ASSAY_TRY(onednn::call([&] { return compute(shape, operands, context.threads); }));
    } else if (y.size() > 0) {
      fill_with_bias(shape, operands.bias, operands.y);
    }
    context.multiply_accumulates = shape.macs();
    return one_output(std::move(y));
  }

  KernelInfo kernel() const override { return info_; }

 private:
  Status compute(const ConvShape& shape, Operands operands, int threads) {
    const Index bytes_per_image = (shape.image_size() + shape.result_size()) * static_cast<Index>(sizeof(float));
    const Index block = std::clamp<Index>(kBlockBytes * threads / bytes_per_image, 1, shape.batch);
    for (Index first = 0; first < shape.batch; first += block) {
      const Index images = std::min(block, shape.batch - first);
      primitive(shape, images, operands.bias != nullptr).run(stream_, operands, weights_constant_);
      operands.x += images * shape.image_size();
      operands.y += images * shape.result_size();
    }
    return {};
  }

  ConvPrimitive& primitive(const ConvShape& shape, Index images, bool has_bias) {
    const Dims key = shape.key(images);
    auto found = primitives_.find(key);
    if (found == primitives_.end()) {
      if (primitives_.size() >= kMaxPrimitives) {
        primitives_.clear();
      }
      found = primitives_.emplace(key, ConvPrimitive(shape, images, has_bias)).first;
    }
    info_ = onednn::kernel_info(found->second.implementation());
    return found->second;
  }

  WindowSpec spec_;
  Index group_;
  bool weights_constant_;
  dnnl::stream stream_;
  KernelInfo info_;
  std::map<Dims, ConvPrimitive> primitives_;
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
