// SPDX-License-Identifier: Apache-2.0
// ConvInteger: y = sum (x - x_zero_point) * (w - w_zero_point) in wrapping int32.
//
// The weights are the left operand of the product, rows in the order (channel, kernel y, kernel x), and the patches are
// packed as the right one: so pairs saturate where w is uint8 and x int8, depthwise or not. The product's rows are then
// the channels of y as they lie in memory.
#include "engine/runtime/conv_shape.h"
#include "engine/runtime/guard.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/quantized_params.h"
#include "engine/runtime/quantized_product.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kX, kW, kXZeroPoint, kWZeroPoint };

struct Worker {
  ScratchBuffer patches;
  PackedMatrix packed;
  ProductScratch product;
};

struct ZeroPoints {
  std::int32_t x = 0;
  std::vector<std::int32_t> w;          // [M]
  std::vector<std::int32_t> x_columns;  // x, as often as a block has positions
};

class ConvInteger final : public Operator {
 public:
  ConvInteger(const PrepareContext& context, WindowSpec spec)
      : spec_(std::move(spec)),
        group_(context.node.int_attribute("group", 1)),
        profile_(context.profile),
        features_(context.features) {
    choose(known_dtype(context, {kX, kXZeroPoint}).value_or(DType::kUint8),
           known_dtype(context, {kW, kWZeroPoint}).value_or(DType::kUint8));
    if (const Tensor* w = context.constant(kW); w != nullptr && w->rank() > 2) {
      depthwise_ = exact() && group_ > 1 && w->dim(0) == group_ && w->dim(1) == 1;
    }
  }

  Result<std::vector<Tensor>> run(RunContext& context) override {
    const Tensor& x = context.input(kX);
    const Tensor& w = context.input(kW);
    ASSAY_TRY(expect_8bit(x, "x"));
    ASSAY_TRY(expect_8bit(w, "w"));
    ASSAY_ASSIGN(const ConvShape shape, resolve_conv_shape(spec_, group_, x.shape(), w.shape()));
    ZeroPoints zero_points;
    ASSAY_ASSIGN(zero_points.x, read_zero_point(context.input(kXZeroPoint), x.dtype(), "x_zero_point"));
    ASSAY_ASSIGN(zero_points.w,
                 read_zero_points(context.input(kWZeroPoint), w.dtype(), shape.outputs(), "w_zero_point"));
    choose(x.dtype(), w.dtype());
    depthwise_ = exact() && shape.depthwise();
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kInt32, shape.output_shape()));
    context.multiply_accumulates = shape.multiply_accumulates();
    if (depthwise_) {
      run_depthwise(context, shape, zero_points, y);
    } else {
      ASSAY_TRY(run_product(context, shape, zero_points, y));
    }
    return std::vector<Tensor>{std::move(y)};
  }

  KernelInfo kernel() const override {
    KernelInfo info = product_kernel_info(choice_, profile_);
    if (depthwise_) {
      info.kernel = depthwise_choice_.kernel->name;
      info.native = depthwise_choice_.native;
    }
    return info;
  }

  bool saturates() const override { return !exact(); }

 private:
  void choose(DType x, DType w) {
    x_signed_ = x == DType::kInt8;
    w_signed_ = w == DType::kInt8;
    choice_ = kernels::choose_gemm(profile_, operands_of(w_signed_, x_signed_), features_);
    depthwise_choice_ = kernels::choose_depthwise(profile_, features_);
  }
  bool exact() const { return choice_.kernel->arithmetic == Arithmetic::kExact; }

  void run_depthwise(const RunContext& context, const ConvShape& shape, const ZeroPoints& zero_points, Tensor& y) {
    const std::byte* x = context.input(kX).bytes();
    const std::byte* w = context.input(kW).bytes();
    std::int32_t* out = y.mutable_data<std::int32_t>().data();
    for_each_task(shape.batch * shape.channels(), context.threads, [&](Index plane, int) {
      const Index channel = plane % shape.channels();
      kernels::DepthwiseArgs args = depthwise_geometry(shape);
      args.x = x + plane * shape.image_size();
      args.x_signed = x_signed_;
      args.x_zero_point = zero_points.x;
      args.w = w + channel * shape.taps();
      args.w_signed = w_signed_;
      args.w_zero_point = zero_points.w[static_cast<std::size_t>(channel)];
      args.acc = out + plane * shape.positions();
      depthwise_choice_.kernel->run(args);
    });
  }

  Status run_product(const RunContext& context, const ConvShape& shape, ZeroPoints& zero_points, Tensor& y) {
    const ConvTasks tasks(shape, shape.group_outputs);
    const Index most_positions = tasks.rows_per_task() * shape.window.w.output;
    ASSAY_ASSIGN(const Index patch_bytes, element_count({most_positions, shape.contraction()}));
    zero_points.x_columns.assign(static_cast<std::size_t>(most_positions), zero_points.x);
    workers_.resize(static_cast<std::size_t>(context.threads));
    for (Worker& worker : workers_) {
      ASSAY_TRY(worker.patches.reserve(patch_bytes));
      ASSAY_TRY(worker.packed.packed.reserve(choice_.kernel->packed_bytes(most_positions, shape.contraction())));
      ASSAY_TRY(worker.product.reserve(shape.group_outputs, most_positions));
    }
    std::vector<Status> failures(workers_.size());
    const bool watched = context.witness != nullptr;
    for_each_task(tasks.count() * group_, watched ? 1 : context.threads, [&](Index task, int slot) {
      const auto s = static_cast<std::size_t>(slot);
      const Block block{.rows = tasks.at(task / group_), .group = task % group_};
      Status status = guarded([&] { return run_block(context, shape, zero_points, block, workers_[s], y); });
      if (!status.ok()) {
        failures[s] = std::move(status);
      }
    });
    for (Status& failure : failures) {
      ASSAY_TRY(failure);
    }
    return {};
  }

  struct Block {
    OutputRows rows;
    Index group = 0;
  };

  Status run_block(const RunContext& context, const ConvShape& shape, const ZeroPoints& zero_points, const Block& block,
                   Worker& worker, Tensor& y) const {
    const Index first_position = block.rows.first * shape.window.w.output;
    const ByteMatrix patches = patch_matrix(context.input(kX), shape, zero_points, block, worker);
    ASSAY_TRY(pack_matrix(*choice_.kernel, patches, worker.packed));
    const auto columns = static_cast<std::size_t>(patches.columns);
    const Correction correction = make_correction(
        {.b = worker.packed, .b_zero_points = std::span<const std::int32_t>(zero_points.x_columns).first(columns)});
    const Index first_output = block.group * shape.group_outputs;
    const ProductRows weights{.a = context.input(kW).bytes() + first_output * shape.contraction(),
                              .count = shape.group_outputs,
                              .stride_bytes = shape.contraction(),
                              .is_signed = w_signed_};
    const auto w_zero_points =
        std::span<const std::int32_t>(zero_points.w)
            .subspan(static_cast<std::size_t>(first_output), static_cast<std::size_t>(shape.group_outputs));
    const Index plane = block.rows.sample * shape.outputs() + first_output;
    std::int32_t* out = y.mutable_data<std::int32_t>().data() + plane * shape.positions() + first_position;
    multiply_correct({*choice_.kernel, worker.packed, correction}, w_zero_points, weights,
                     {.y = out, .row_stride = shape.positions()}, worker.product);
    if (context.witness != nullptr) {
      witness_product(weights, patches, *context.witness);
    }
    return {};
  }

  // [C/group * taps, positions of the block]: of the image itself where there is one tap.
  ByteMatrix patch_matrix(const Tensor& x, const ConvShape& shape, const ZeroPoints& zero_points, const Block& block,
                          Worker& worker) const {
    const Index channel = block.rows.sample * shape.channels() + block.group * shape.group_channels;
    const std::byte* image = x.bytes() + channel * shape.image_size();
    ByteMatrix matrix{
        .rows = shape.contraction(), .columns = block.rows.count * shape.window.w.output, .is_signed = x_signed_};
    if (shape.pointwise()) {
      matrix.data = image + block.rows.first * shape.window.w.output;
      matrix.row_stride_bytes = shape.image_size();
      return matrix;
    }
    write_patches(shape,
                  {.image = reinterpret_cast<const std::uint8_t*>(image),
                   .pad_value = static_cast<std::uint8_t>(zero_points.x),
                   .order = kernels::PatchOrder::kChannelThenKernel},
                  block.rows, worker.patches.as<std::uint8_t>());
    matrix.data = worker.patches.as<std::byte>();
    matrix.row_stride_bytes = 1;
    matrix.column_stride_bytes = shape.contraction();
    return matrix;
  }

  WindowSpec spec_;
  Index group_;
  Profile profile_;
  CpuFeatures features_;

  bool x_signed_ = false;
  bool w_signed_ = false;
  bool depthwise_ = false;
  kernels::GemmChoice choice_;
  kernels::DepthwiseChoice depthwise_choice_;
  std::vector<Worker> workers_;
};

}  // namespace

OperatorResult prepare_conv_integer(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 4));
  ASSAY_ASSIGN(WindowSpec spec, read_window_spec(context.node));
  return OperatorResult(std::make_unique<ConvInteger>(context, std::move(spec)));
}

}  // namespace assay::runtime
