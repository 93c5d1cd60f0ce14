// SPDX-License-Identifier: Apache-2.0
// com.microsoft.QLinearAveragePool and QLinearGlobalAveragePool, channels first or last (kernels/pool has the
// formulas).
#include "engine/kernels/transpose/transpose_bytes.h"
#include "engine/runtime/ops/pool_planes.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kX, kXScale, kXZeroPoint, kYScale, kYZeroPoint };

Result<kernels::PoolQuantization> read_quantization(const RunContext& context) {
  const Tensor& x = context.input(kX);
  ASSAY_TRY(expect_8bit(x, "X"));
  kernels::PoolQuantization out;
  out.is_signed = x.dtype() == DType::kInt8;
  ASSAY_ASSIGN(out.x_scale, read_scale(context.input(kXScale), "x_scale"));
  ASSAY_ASSIGN(out.x_zero_point, read_zero_point(context.input(kXZeroPoint), x.dtype(), "x_zero_point"));
  ASSAY_ASSIGN(out.y_scale, read_scale(context.input(kYScale), "y_scale"));
  ASSAY_ASSIGN(out.y_zero_point, read_zero_point(context.input(kYZeroPoint), x.dtype(), "y_zero_point"));
  return out;
}

// [N, ..., C] <-> [N, C, ...]: each sample is a matrix [positions, channels] or [channels, positions].
struct Layout {
  Shape shape;  // to
  Index rows = 0;
  Index columns = 0;
};
Result<Tensor> swap_layout(const Tensor& from, const Layout& layout, const kernels::TransposeKernel& kernel) {
  const auto& [to_shape, rows, columns] = layout;
  ASSAY_ASSIGN(Tensor to, Tensor::allocate_uninitialized(from.dtype(), to_shape));
  const Index sample = rows * columns;
  for (Index i = 0; i < from.size(); i += sample) {
    kernel.run({.from = reinterpret_cast<const std::uint8_t*>(from.bytes()) + i,
                .rows = rows,
                .columns = columns,
                .from_stride = columns,
                .to = reinterpret_cast<std::uint8_t*>(to.mutable_bytes()) + i,
                .to_stride = rows});
  }
  return to;
}

Result<Tensor> to_channels_first(const Tensor& x, const kernels::TransposeKernel& kernel) {
  Shape shape = {x.dim(0), x.shape().back()};
  shape.insert(shape.end(), x.shape().begin() + 1, x.shape().end() - 1);
  return swap_layout(x, {.shape = shape, .rows = dims_product(x.shape(), 1, x.rank() - 1), .columns = x.shape().back()},
                     kernel);
}

Result<Tensor> to_channels_last(const Tensor& y, const kernels::TransposeKernel& kernel) {
  Shape shape = {y.dim(0)};
  shape.insert(shape.end(), y.shape().begin() + 2, y.shape().end());
  shape.push_back(y.dim(1));
  return swap_layout(y, {.shape = shape, .rows = y.dim(1), .columns = dims_product(y.shape(), 2, y.rank())}, kernel);
}

Status check_image(const Tensor& x) {
  if (x.rank() < 3) {
    return invalid_argument("X has batch, channel and spatial dimensions; found " + shape_text(x.shape()));
  }
  return {};
}

struct AverageOptions {
  WindowSpec spec;
  bool count_include_pad = false;
  bool channels_last = false;
};

Result<Tensor> average_planes(const RunContext& context, const AverageOptions& options, const Tensor& x,
                              const kernels::PoolKernel& kernel) {
  ASSAY_ASSIGN(const kernels::PoolQuantization quantization, read_quantization(context));
  ASSAY_ASSIGN(const Window window, resolve_window(options.spec, x.shape(), options.spec.kernel));
  ASSAY_TRY(check_pool_window(window));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), window.output_shape({x.dim(0), x.dim(1)})));
  const Index x_plane = window.h.input * window.w.input;
  const Index y_plane = window.h.output * window.w.output;
  std::byte* out = y.mutable_bytes();
  for_each_plane_group(x.dim(0) * x.dim(1), window, context.threads, [&](Index first, Index planes) {
    kernels::AveragePoolArgs args{.x = x.bytes() + first * x_plane,
                                  .y = out + first * y_plane,
                                  .geometry = pool_geometry(window),
                                  .count_include_pad = options.count_include_pad,
                                  .quantization = quantization};
    args.geometry.planes = planes;
    kernel.average(args);
  });
  return y;
}

struct AverageKernels {
  const kernels::PoolKernel& pool;
  const kernels::TransposeKernel& transpose;
};

Result<Tensor> average_pool(const RunContext& context, const AverageOptions& options, const AverageKernels& kernels) {
  const Tensor& x = context.input(kX);
  ASSAY_TRY(check_image(x));
  ASSAY_TRY(expect_8bit(x, "X"));
  if (!options.channels_last) {
    return average_planes(context, options, x, kernels.pool);
  }
  ASSAY_ASSIGN(const Tensor first, to_channels_first(x, kernels.transpose));
  ASSAY_ASSIGN(const Tensor y, average_planes(context, options, first, kernels.pool));
  return to_channels_last(y, kernels.transpose);
}

Result<Tensor> global_average_pool(const RunContext& context, bool channels_last, const kernels::PoolKernel& kernel) {
  const Tensor& x = context.input(kX);
  ASSAY_TRY(check_image(x));
  ASSAY_ASSIGN(const kernels::PoolQuantization quantization, read_quantization(context));
  const std::size_t channel_axis = channels_last ? x.rank() - 1 : 1;
  const Index channels = x.dim(channel_axis);
  Shape shape(x.rank(), 1);
  shape[0] = x.dim(0);
  shape[channel_axis] = channels;
  const Index size = channels_last ? dims_product(x.shape(), 1, x.rank() - 1) : dims_product(x.shape(), 2, x.rank());
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), std::move(shape)));
  if (size == 0 && y.size() > 0) {
    return invalid_argument("the mean of no elements is undefined; X has the shape " + shape_text(x.shape()));
  }
  std::byte* out = y.mutable_bytes();
  for_each_task(x.dim(0), context.threads, [&](Index sample, int) {
    kernel.global_average({.x = x.bytes() + sample * channels * size,
                           .y = out + sample * channels,
                           .planes = channels,
                           .size = size,
                           .plane_stride = channels_last ? 1 : size,
                           .step = channels_last ? channels : 1,
                           .quantization = quantization});
  });
  return y;
}

bool channels_last(const PrepareContext& context) { return context.node.int_attribute("channels_last", 0) != 0; }

}  // namespace

OperatorResult prepare_qlinear_average_pool(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 5));
  AverageOptions options{.spec = {},
                         .count_include_pad = context.node.int_attribute("count_include_pad", 0) != 0,
                         .channels_last = channels_last(context)};
  ASSAY_ASSIGN(options.spec, read_pool_spec(context.node));
  const kernels::PoolChoice choice = kernels::choose_pool(context.profile, context.features);
  const AverageKernels kernels{*choice.kernel, kernels::choose_transpose(context.profile, context.features)};
  return make_operator([options, kernels](const RunContext& run) { return average_pool(run, options, kernels); },
                       kernel_info(choice, context.profile, "float32"));
}

OperatorResult prepare_qlinear_global_average_pool(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 5));
  const bool last = channels_last(context);
  const kernels::PoolChoice choice = kernels::choose_pool(context.profile, context.features);
  return make_operator([last, choice](const RunContext& run) { return global_average_pool(run, last, *choice.kernel); },
                       kernel_info(choice, context.profile, "exact"));
}

}  // namespace assay::runtime
