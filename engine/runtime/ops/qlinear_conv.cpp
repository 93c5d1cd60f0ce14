// SPDX-License-Identifier: Apache-2.0
// QLinearConv, plain and ai.assay's with a clamp: a quantized product of patches and weights per group, or the
// depthwise kernel where every output channel reads one input channel of its own (exact in every profile).
#include <functional>
#include <numeric>

#include "engine/kernels/requantize/requantize.h"
#include "engine/runtime/conv_shape.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/quantized_params.h"
#include "engine/runtime/quantized_product.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kX, kXScale, kXZeroPoint, kW, kWScale, kWZeroPoint, kYScale, kYZeroPoint, kBias };

struct Parameters {
  std::int32_t x_zero_point = 0;
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

// What one worker needs.
struct Worker {
  ScratchBuffer patches;
  ProductScratch product;
};

ProductRows make_patches(const Tensor& x, const ConvShape& shape, const OutputRows& rows, Index group,
                         std::int32_t zero_point, Worker& worker) {
  const Index channel = rows.sample * shape.channels() + group * shape.group_channels;
  auto* patches = worker.patches.as<std::uint8_t>();
  const auto* image = reinterpret_cast<const std::uint8_t*>(x.bytes()) + channel * shape.image_size();
  write_patches(shape, {.image = image, .pad_value = static_cast<std::uint8_t>(zero_point)}, rows, patches);
  return {.a = reinterpret_cast<const std::byte*>(patches),
          .count = rows.count * shape.window.w.output,
          .stride_bytes = shape.contraction(),
          .is_signed = x.dtype() == DType::kInt8};
}

class QLinearConv final : public Operator {
 public:
  QLinearConv(const PrepareContext& context, WindowSpec spec)
      : node_(context.node),
        spec_(std::move(spec)),
        group_(context.node.int_attribute("group", 1)),
        profile_(context.profile),
        features_(context.features),
        weights_are_constant_(context.constant(kW) != nullptr) {}

  Status prepare(const PrepareContext& context) {
    const DType x_type = known_dtype(context, {kX, kXZeroPoint}).value_or(DType::kUint8);
    const DType w_type = known_dtype(context, {kW, kWZeroPoint}).value_or(DType::kInt8);
    choose(x_type == DType::kInt8, w_type == DType::kInt8);
    const Tensor* w = context.constant(kW);
    return w == nullptr ? Status{} : pack(*w, x_type == DType::kInt8);
  }

  Result<std::vector<Tensor>> run(RunContext& context) override {
    const Tensor& x = context.input(kX);
    const Tensor& w = context.input(kW);
    ASSAY_TRY(expect_8bit(x, "x"));
    ASSAY_TRY(expect_8bit(w, "w"));
    ASSAY_ASSIGN(const ConvShape shape, resolve_conv_shape(spec_, group_, x.shape(), w.shape()));
    ASSAY_ASSIGN(const Parameters parameters, read_parameters(context, shape));
    const bool x_signed = x.dtype() == DType::kInt8;
    if (!weights_are_constant_ || x_signed != x_signed_) {
      ASSAY_TRY(pack(w, x_signed));
    }
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(context.input(kYZeroPoint).dtype(), shape.output_shape()));
    context.multiply_accumulates = shape.multiply_accumulates();
    ASSAY_TRY(shape.depthwise() ? run_depthwise(context, shape, parameters, y)
                                : run_product(context, shape, parameters, y));
    return std::vector<Tensor>{std::move(y)};
  }

  KernelInfo kernel() const override {
    if (!depthwise_) {
      return product_kernel_info(choice_, profile_);
    }
    KernelInfo info;
    info.kernel = depthwise_choice_.kernel->name;
    info.isa = isa_name(profile_.isa);
    info.arithmetic = arithmetic_name(Arithmetic::kExact);
    info.native = depthwise_choice_.native;
    return info;
  }

  bool saturates() const override { return !depthwise_ && choice_.kernel->arithmetic == Arithmetic::kSat16Pairs; }

 private:
  void choose(bool x_signed, bool w_signed) {
    x_signed_ = x_signed;
    w_signed_ = w_signed;
    choice_ = kernels::choose_gemm(profile_, operands_of(x_signed, w_signed), features_);
    depthwise_choice_ = kernels::choose_depthwise(profile_, features_);
  }

  // Weights of each group as [M/group, taps, C/group], the order of the patches, then packed for the kernel.
  Status pack(const Tensor& w, bool x_signed) {
    if (w.rank() < 3 || !is_8bit(w.dtype()) || group_ < 1 || w.dim(0) % group_ != 0) {
      return invalid_argument("w is int8 or uint8 [M, C/group, kernel...] with M a multiple of group; found " +
                              std::string(dtype_name(w.dtype())) + shape_text(w.shape()) + ", group " +
                              std::to_string(group_));
    }
    depthwise_ = group_ > 1 && w.dim(0) == group_ && w.dim(1) == 1;
    choose(x_signed, w.dtype() == DType::kInt8);
    if (depthwise_) {
      return {};
    }
    const Index outputs = w.dim(0);
    const Index channels = w.dim(1);
    const Index taps = std::accumulate(w.shape().begin() + 2, w.shape().end(), Index{1}, std::multiplies<>());
    ASSAY_TRY(weights_.reserve(w.size()));
    const auto* from = reinterpret_cast<const std::byte*>(w.bytes());
    auto* to = weights_.as<std::byte>();
    for (Index m = 0; m < outputs; ++m) {
      for (Index c = 0; c < channels; ++c) {
        for (Index tap = 0; tap < taps; ++tap) {
          to[(m * taps + tap) * channels + c] = *from++;
        }
      }
    }
    packed_.resize(static_cast<std::size_t>(group_));
    for (Index group = 0; group < group_; ++group) {
      ASSAY_TRY(pack_matrix(*choice_.kernel, weight_matrix(group, outputs / group_, taps * channels),
                            packed_[static_cast<std::size_t>(group)]));
    }
    return {};
  }

  ByteMatrix weight_matrix(Index group, Index outputs, Index contraction) const {
    return {.data = weights_.as<std::byte>() + group * outputs * contraction,
            .rows = contraction,
            .columns = outputs,
            .row_stride_bytes = 1,
            .column_stride_bytes = contraction,
            .is_signed = w_signed_};
  }

  Result<Parameters> read_parameters(const RunContext& context, const ConvShape& shape) const {
    Parameters out;
    const Index outputs = shape.outputs();
    ASSAY_ASSIGN(const float x_scale, read_scale(context.input(kXScale), "x_scale"));
    ASSAY_ASSIGN(out.x_zero_point,
                 read_zero_point(context.input(kXZeroPoint), context.input(kX).dtype(), "x_zero_point"));
    ASSAY_ASSIGN(const std::vector<float> w_scales, read_scales(context.input(kWScale), outputs, "w_scale"));
    ASSAY_ASSIGN(out.w_zero_points,
                 read_zero_points(context.input(kWZeroPoint), context.input(kW).dtype(), outputs, "w_zero_point"));
    ASSAY_ASSIGN(const float y_scale, read_scale(context.input(kYScale), "y_scale"));
    const Tensor& y_zero_point = context.input(kYZeroPoint);
    ASSAY_TRY(expect_8bit(y_zero_point, "y_zero_point"));
    Requantization& requantization = out.requantization;
    ASSAY_ASSIGN(requantization.y_zero_point, read_zero_point(y_zero_point, y_zero_point.dtype(), "y_zero_point"));
    ASSAY_TRY(read_clamp(node_, y_zero_point.dtype(), requantization));
    requantization.y_signed = y_zero_point.dtype() == DType::kInt8;
    requantization.scales = product_scales(x_scale, w_scales, y_scale);
    out.bias.assign(static_cast<std::size_t>(outputs), 0);
    if (const Tensor& bias = context.input(kBias); !bias.empty()) {
      ASSAY_TRY(expect_dtype(bias, DType::kInt32, "B"));
      if (bias.shape() != Shape{outputs}) {
        return invalid_argument("B has the shape [" + std::to_string(outputs) + "], found " + shape_text(bias.shape()));
      }
      out.bias = to_int32s(bias);
    }
    return out;
  }

  Status run_depthwise(const RunContext& context, const ConvShape& shape, const Parameters& parameters, Tensor& y) {
    const Tensor& x = context.input(kX);
    const Index positions = shape.positions();
    workers_.resize(static_cast<std::size_t>(context.threads));
    for (Worker& worker : workers_) {
      ASSAY_TRY(worker.product.reserve(positions, 1));
    }
    const Index channels = shape.channels();
    const std::byte* w = context.input(kW).bytes();
    for_each_task(shape.batch * channels, context.threads, [&](Index plane, int slot) {
      const Index channel = plane % channels;
      const auto c = static_cast<std::size_t>(channel);
      auto* acc = workers_[static_cast<std::size_t>(slot)].product.acc.as<std::int32_t>();
      kernels::DepthwiseArgs args = depthwise_geometry(shape);
      args.x = x.bytes() + plane * shape.image_size();
      args.x_signed = x_signed_;
      args.x_zero_point = parameters.x_zero_point;
      args.w = w + channel * shape.taps();
      args.w_signed = w_signed_;
      args.w_zero_point = parameters.w_zero_points[c];
      args.bias = parameters.bias[c];
      args.acc = acc;
      depthwise_choice_.kernel->run(args);
      requantize_plane(parameters.requantization, c, {acc, static_cast<std::size_t>(positions)},
                       y.mutable_bytes() + plane * positions);
    });
    return {};
  }

  static void requantize_plane(const Requantization& requantization, std::size_t channel,
                               std::span<const std::int32_t> acc, std::byte* y) {
    const std::int32_t no_offset = 0;
    kernels::requantize({.rows = static_cast<Index>(acc.size()),
                         .columns = 1,
                         .acc = acc.data(),
                         .acc_stride = 1,
                         .column_offset = &no_offset,
                         .scale = &requantization.scales[channel],
                         .y_zero_point = requantization.y_zero_point,
                         .clamp_min = requantization.clamp_min,
                         .clamp_max = requantization.clamp_max,
                         .y_signed = requantization.y_signed,
                         .y = y,
                         .y_row_stride_bytes = 1});
  }

  Status run_product(const RunContext& context, const ConvShape& shape, const Parameters& parameters, Tensor& y) {
    const ConvTasks tasks(shape, shape.group_outputs);
    const Index most_positions = tasks.rows_per_task() * shape.window.w.output;
    ASSAY_ASSIGN(const Index patch_bytes, element_count({most_positions, shape.contraction()}));
    workers_.resize(static_cast<std::size_t>(context.threads));
    for (Worker& worker : workers_) {
      ASSAY_TRY(worker.patches.reserve(patch_bytes));
      ASSAY_TRY(worker.product.reserve(most_positions, shape.group_outputs));
    }
    std::vector<Correction> corrections;
    std::vector<Requantization> requantizations;
    for (Index group = 0; group < group_; ++group) {
      const auto g = static_cast<std::size_t>(group);
      corrections.push_back(make_correction({.b = packed_[g],
                                             .a_zero_point = parameters.x_zero_point,
                                             .b_zero_points = of_group(parameters.w_zero_points, shape, group),
                                             .bias = of_group(parameters.bias, shape, group)}));
      const auto scales = of_group(parameters.requantization.scales, shape, group);
      requantizations.push_back(parameters.requantization);
      requantizations.back().scales.assign(scales.begin(), scales.end());
    }
    const bool watched = context.witness != nullptr;
    for_each_task(tasks.count() * group_, watched ? 1 : context.threads, [&](Index task, int slot) {
      const Index group = task % group_;
      const auto g = static_cast<std::size_t>(group);
      const OutputRows rows = tasks.at(task / group_);
      Worker& worker = workers_[static_cast<std::size_t>(slot)];
      const ProductRows patches = make_patches(context.input(kX), shape, rows, group, parameters.x_zero_point, worker);
      const Index plane = rows.sample * shape.outputs() + group * shape.group_outputs;
      std::byte* out = y.mutable_bytes() + plane * shape.positions() + rows.first * shape.window.w.output;
      multiply_requantize({*choice_.kernel, packed_[g], corrections[g]}, requantizations[g], patches,
                          {.y = out, .row_stride = 1, .column_stride = shape.positions()}, worker.product);
      if (watched) {
        witness_product(patches, weight_matrix(group, shape.group_outputs, shape.contraction()), *context.witness);
      }
    });
    return {};
  }

  Node node_;
  WindowSpec spec_;
  Index group_;
  Profile profile_;
  CpuFeatures features_;
  bool weights_are_constant_;

  bool x_signed_ = false;
  bool w_signed_ = true;
  bool depthwise_ = false;
  kernels::GemmChoice choice_;
  kernels::DepthwiseChoice depthwise_choice_;
  ScratchBuffer weights_;             // [M, taps, C/group]
  std::vector<PackedMatrix> packed_;  // per group
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
