// SPDX-License-Identifier: Apache-2.0
// QLinearConv, plain and ai.assay's with a clamp: a quantized product of patches and weights per group, or the
// depthwise kernel where every output channel reads one input channel of its own and all weight zero points are equal
// (exact in every profile).
#include <algorithm>
#include <functional>

#include "engine/runtime/conv_images.h"
#include "engine/runtime/conv_kernels.h"
#include "engine/runtime/conv_patches.h"
#include "engine/runtime/conv_weights.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kX, kXScale, kXZeroPoint, kW, kWScale, kWZeroPoint, kYScale, kYZeroPoint, kBias };

struct Parameters {
  std::int32_t x_zero_point = 0;
  std::vector<float> w_scales;              // [M]
  std::vector<std::int32_t> w_zero_points;  // [M]
  std::vector<std::int32_t> bias;           // [M]
  Requantization requantization;            // [M]
};

// The parameters of the outputs of one group.
template <typename T>
std::span<const T> of_group(const std::vector<T>& values, const ConvShape& shape, Index group) {
  return std::span<const T>(values).subspan(static_cast<std::size_t>(group * shape.group_outputs),
                                            static_cast<std::size_t>(shape.group_outputs));
}

template <typename T>
bool all_equal(const std::vector<T>& values) {
  return std::ranges::adjacent_find(values, std::not_equal_to<>()) == values.end();
}

// What one worker needs.
struct Worker {
  ScratchBuffer patches;
  ProductScratch product;
};

// What follows from the types, shapes and parameters of a run.
struct Binding {
  bool is_set = false;
  DType x_type = DType::kUint8;
  Shape x_shape;
  ConvShape shape;
  Parameters parameters;
  // Per group, unless depthwise.
  std::vector<Correction> corrections;
  std::vector<Requantization> requantizations;
  bool in_place = false;  // the product reads the images, not patches
};

class QLinearConv final : public Operator {
 public:
  QLinearConv(const PrepareContext& context, WindowSpec spec)
      : node_(context.node),
        spec_(std::move(spec)),
        group_(context.node.int_attribute("group", 1)),
        profile_(context.profile),
        features_(context.features),
        weights_are_constant_(context.constant(kW) != nullptr),
        operands_are_constant_(weights_are_constant_) {
    for (const std::size_t input : {kXScale, kXZeroPoint, kWScale, kWZeroPoint, kYScale, kYZeroPoint, kBias}) {
      const bool given = context.has_input(input);
      operands_are_constant_ = operands_are_constant_ && (!given || context.constant(input) != nullptr);
    }
  }

  Status prepare(const PrepareContext& context) {
    const DType x_type = known_dtype(context, {kX, kXZeroPoint}).value_or(DType::kUint8);
    const DType w_type = known_dtype(context, {kW, kWZeroPoint}).value_or(DType::kInt8);
    choose(x_type == DType::kInt8, w_type == DType::kInt8);
    const Tensor* w = context.constant(kW);
    if (w == nullptr) {
      return {};
    }
    // Zero points that are computed may differ.
    const Tensor* zero_points = context.constant(kWZeroPoint);
    const bool equal = zero_points != nullptr && is_8bit(zero_points->dtype()) && all_equal(zero_points->to_indices());
    return pack(*w, x_type == DType::kInt8, equal);
  }

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(kX);
    ASSAY_TRY(expect_8bit(x, "x"));
    ASSAY_TRY(expect_8bit(context.input(kW), "w"));
    const bool same = bound_.is_set && operands_are_constant_ && x.dtype() == bound_.x_type;
    if (!same || x.shape() != bound_.x_shape) {
      ASSAY_TRY(bind(context));
    }
    ASSAY_ASSIGN(Tensor y,
                 Tensor::allocate_uninitialized(context.input(kYZeroPoint).dtype(), bound_.shape.output_shape()));
    context.multiply_accumulates = bound_.shape.multiply_accumulates();
    if (!saturates()) {
      context.witness = nullptr;
    }
    if (depthwise_) {
      run_depthwise(context, y);
    } else {
      ASSAY_TRY(run_product(context, y));
    }
    outputs.push_back(std::move(y));
    return {};
  }

  KernelInfo kernel() const override { return conv_kernel_info(kernels_, depthwise_, profile_); }
  bool saturates() const override { return !depthwise_ && kernels_.gemm.kernel->arithmetic == Arithmetic::kSat16Pairs; }

 private:
  void choose(bool x_signed, bool w_signed) {
    x_signed_ = x_signed;
    w_signed_ = w_signed;
    kernels_ = choose_conv_kernels(profile_, operands_of(x_signed, w_signed), features_);
  }

  Status pack(const Tensor& w, bool x_signed, bool equal_zero_points) {
    ASSAY_TRY(check_conv_weights(w, group_));
    depthwise_ = equal_zero_points && w.dim(0) == group_ && w.dim(1) == 1;
    choose(x_signed, w.dtype() == DType::kInt8);
    return depthwise_ ? Status{} : weights_.pack(w, group_, *kernels_.gemm.kernel, weights_are_constant_);
  }

  Status bind(const RunContext& context) {
    const Tensor& x = context.input(kX);
    const Tensor& w = context.input(kW);
    bound_.is_set = false;
    ASSAY_ASSIGN(bound_.shape, resolve_conv_shape(spec_, group_, x.shape(), w.shape()));
    ASSAY_TRY(read_parameters(context, bound_.shape, bound_.parameters));
    const bool x_signed = x.dtype() == DType::kInt8;
    const bool equal = all_equal(bound_.parameters.w_zero_points);
    const bool depthwise = equal && bound_.shape.depthwise();
    if (!weights_are_constant_ || x_signed != x_signed_ || depthwise != depthwise_) {
      ASSAY_TRY(pack(w, x_signed, equal));
    }
    const Index groups = depthwise_ ? 0 : group_;
    bound_.corrections.resize(static_cast<std::size_t>(groups));
    bound_.requantizations.resize(static_cast<std::size_t>(groups));
    for (Index group = 0; group < groups; ++group) {
      set_group(group);
    }
    // Sums of rows are made from patches only.
    const bool no_row_sums = std::ranges::all_of(
        bound_.corrections, [](const Correction& correction) { return correction.b_zero_points.empty(); });
    bound_.in_place = kernels_.gemm.kernel->reads_lines && no_row_sums && can_read_in_place(bound_.shape);
    bound_.x_type = x.dtype();
    bound_.x_shape = x.shape();
    bound_.is_set = true;
    return {};
  }

  void set_group(Index group) {
    const Parameters& parameters = bound_.parameters;
    const auto g = static_cast<std::size_t>(group);
    make_correction({.b = weights_.packed(group),
                     .a_zero_point = parameters.x_zero_point,
                     .b_zero_points = of_group(parameters.w_zero_points, bound_.shape, group),
                     .bias = of_group(parameters.bias, bound_.shape, group)},
                    bound_.corrections[g]);
    Requantization& requantization = bound_.requantizations[g];
    requantization = parameters.requantization;
    const auto scales = of_group(parameters.requantization.scales, bound_.shape, group);
    requantization.scales.assign(scales.begin(), scales.end());
  }

  Status read_parameters(const RunContext& context, const ConvShape& shape, Parameters& out) const {
    const Index outputs = shape.outputs();
    ASSAY_ASSIGN(const float x_scale, read_scale(context.input(kXScale), "x_scale"));
    ASSAY_ASSIGN(out.x_zero_point,
                 read_zero_point(context.input(kXZeroPoint), context.input(kX).dtype(), "x_zero_point"));
    ASSAY_TRY(read_scales(context.input(kWScale), outputs, "w_scale", out.w_scales));
    ASSAY_TRY(read_zero_points(context.input(kWZeroPoint), context.input(kW).dtype(), outputs, "w_zero_point",
                               out.w_zero_points));
    ASSAY_ASSIGN(const float y_scale, read_scale(context.input(kYScale), "y_scale"));
    const Tensor& y_zero_point = context.input(kYZeroPoint);
    ASSAY_TRY(expect_8bit(y_zero_point, "y_zero_point"));
    Requantization& requantization = out.requantization;
    ASSAY_ASSIGN(requantization.y_zero_point, read_zero_point(y_zero_point, y_zero_point.dtype(), "y_zero_point"));
    ASSAY_TRY(read_clamp(node_, y_zero_point.dtype(), requantization));
    requantization.y_signed = y_zero_point.dtype() == DType::kInt8;
    set_product_scales(x_scale, out.w_scales, y_scale, requantization.scales);
    out.bias.assign(static_cast<std::size_t>(outputs), 0);
    if (const Tensor& bias = context.input(kBias); !bias.empty()) {
      ASSAY_TRY(expect_dtype(bias, DType::kInt32, "B"));
      if (bias.shape() != Shape{outputs}) {
        return invalid_argument("B has the shape [" + std::to_string(outputs) + "], found " + shape_text(bias.shape()));
      }
      read_int32s(bias, out.bias);
    }
    return {};
  }

  void run_depthwise(const RunContext& context, Tensor& y) const {
    const ConvShape& shape = bound_.shape;
    const Parameters& parameters = bound_.parameters;
    const std::byte* x = context.input(kX).bytes();
    const std::byte* w = context.input(kW).bytes();
    auto* out = reinterpret_cast<std::uint8_t*>(y.mutable_bytes());
    for_each_task(shape.batch * shape.channels(), context.threads, [&](Index plane, int) {
      const Index channel = plane % shape.channels();
      const auto c = static_cast<std::size_t>(channel);
      kernels::DepthwiseArgs args = depthwise_geometry(shape);
      args.x = x + plane * shape.image_size();
      args.x_signed = x_signed_;
      args.x_zero_point = parameters.x_zero_point;
      args.w = w + channel * shape.taps();
      args.w_signed = w_signed_;
      args.w_zero_point = parameters.w_zero_points[c];
      args.bias = parameters.bias[c];
      args.y = out + plane * shape.positions();
      args.scale = parameters.requantization.scales[c];
      args.y_zero_point = parameters.requantization.y_zero_point;
      args.clamp_min = parameters.requantization.clamp_min;
      args.clamp_max = parameters.requantization.clamp_max;
      kernels_.depthwise.kernel->run(args);
    });
  }

  Status run_product(const RunContext& context, Tensor& y) {
    const ConvShape& shape = bound_.shape;
    const int threads = context.witness == nullptr ? context.threads : 1;  // the witness is one record
    if (context.witness != nullptr) {
      ASSAY_TRY(weights_.make_witnesses(context.input(kW)));
    }
    const bool pointwise = shape.pointwise();
    const bool in_place = !pointwise && bound_.in_place && context.witness == nullptr;  // the witness reads patches
    const ConvTasks tasks(shape, shape.group_outputs, threads, in_place ? LeftOperand::kImage : LeftOperand::kPatches);
    ASSAY_ASSIGN(const Index patch_bytes, element_count({tasks.most_positions(), shape.contraction()}));
    if (context.witness != nullptr) {
      add_bounds(*context.witness);
    }
    workers_.resize(static_cast<std::size_t>(threads));
    for (Worker& worker : workers_) {
      ASSAY_TRY(worker.patches.reserve(in_place ? 0 : patch_bytes));
      ASSAY_TRY(worker.product.reserve(tasks.most_positions(), shape.group_outputs));
    }
    if (pointwise) {
      for_each_task(tasks.count() * group_, threads, [&](Index task, int slot) {
        Worker& worker = workers_[static_cast<std::size_t>(slot)];
        const OutputBlock block = tasks.at(task / group_);
        run_block(context, block, task % group_, transposed(context, block, task % group_, worker), worker, y);
      });
      return {};
    }
    ASSAY_TRY(images_.reserve(shape, in_place ? frame_of_taps(shape) : bare_frame(shape), threads));
    const ImageSource source{.transpose = *kernels_.transpose,
                             .x = context.input(kX).bytes(),
                             .pad_value = static_cast<std::uint8_t>(bound_.parameters.x_zero_point)};
    for (Index first = 0; first < shape.batch; first += images_.most_samples()) {
      const Index count = std::min(images_.most_samples(), shape.batch - first);
      images_.fill(shape, source, first, count, threads);
      const Index blocks = tasks.count() / shape.batch;
      for_each_task(count * blocks * group_, threads, [&](Index task, int slot) {
        Worker& worker = workers_[static_cast<std::size_t>(slot)];
        const OutputBlock block = tasks.at(first * blocks + task / group_);
        const Index group = task % group_;
        const std::uint8_t* image = images_.image(block.sample, group);
        run_block(context, block, group, in_place ? rows_in_place(shape, image, block) : patches(image, block, worker),
                  worker, y);
      });
    }
    return {};
  }

  void add_bounds(SaturationInfo& info) {
    for (Index group = 0; group < group_; ++group) {
      weights_.witness(group).add_bounds(group * bound_.shape.group_outputs, info);
    }
  }

  void run_block(const RunContext& context, const OutputBlock& block, Index group, const ProductRows& rows,
                 Worker& worker, Tensor& y) {
    const ConvShape& shape = bound_.shape;
    const auto g = static_cast<std::size_t>(group);
    const Index plane = block.sample * shape.outputs() + group * shape.group_outputs;
    std::byte* out = y.mutable_bytes() + plane * shape.positions() + block.first_position;
    multiply_requantize({*kernels_.gemm.kernel, weights_.packed(group), bound_.corrections[g]},
                        {*kernels_.requantize, bound_.requantizations[g]}, rows,
                        {.y = out, .row_stride = 1, .column_stride = shape.positions()}, worker.product);
    if (context.witness != nullptr) {
      weights_.witness(group).add(rows, group * shape.group_outputs, *context.witness);
    }
  }

  // The channels at the positions of the block of a pointwise convolution.
  ProductRows transposed(const RunContext& context, const OutputBlock& block, Index group, Worker& worker) const {
    const ConvShape& shape = bound_.shape;
    auto* out = worker.patches.as<std::uint8_t>();
    const Index channel = block.sample * shape.channels() + group * shape.group_channels;
    const auto* x = reinterpret_cast<const std::uint8_t*>(context.input(kX).bytes());
    kernels_.transpose->run({.from = x + channel * shape.image_size() + block.first_position,
                             .rows = shape.group_channels,
                             .columns = block.positions,
                             .from_stride = shape.image_size(),
                             .to = out,
                             .to_stride = shape.group_channels});
    return dense_rows(out, block);
  }

  // (kernel y, kernel x, channel) at the positions of the block.
  ProductRows patches(const std::uint8_t* image, const OutputBlock& block, Worker& worker) const {
    auto* out = worker.patches.as<std::uint8_t>();
    write_patches_channel_last(bound_.shape,
                               {.kernel = *kernels_.im2col,
                                .image = image,
                                .pad_value = static_cast<std::uint8_t>(bound_.parameters.x_zero_point)},
                               block, out);
    return dense_rows(out, block);
  }

  ProductRows dense_rows(const std::uint8_t* rows, const OutputBlock& block) const {
    return {.a = reinterpret_cast<const std::byte*>(rows),
            .count = block.positions,
            .stride_bytes = bound_.shape.contraction(),
            .is_signed = x_signed_};
  }

  Node node_;
  WindowSpec spec_;
  Index group_;
  Profile profile_;
  CpuFeatures features_;
  bool weights_are_constant_;
  bool operands_are_constant_;  // all but x

  bool x_signed_ = false;
  bool w_signed_ = true;
  bool depthwise_ = false;
  ConvKernels kernels_;
  ConvWeights weights_;  // unless depthwise
  Binding bound_;
  ChannelLastImages images_;
  std::vector<Worker> workers_;
};

}  // namespace

OperatorResult prepare_qlinear_conv(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 8, 9));
  ASSAY_ASSIGN(WindowSpec spec, read_window_spec(context.node));
  auto prepared = std::make_unique<QLinearConv>(context, std::move(spec));
  ASSAY_TRY(prepared->prepare(context));
  return OperatorResult(std::move(prepared));
}

}  // namespace assay::runtime
