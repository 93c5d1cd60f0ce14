// SPDX-License-Identifier: Apache-2.0
// ConvInteger: y = sum (x - x_zero_point) * (w - w_zero_point) in wrapping int32.
//
// The weights are the left operand of the product, rows in the order (channel, kernel y, kernel x), and the patches are
// packed as the right one: so pairs saturate where w is uint8 and x int8, depthwise or not. The product's rows are then
// the channels of y as they lie in memory.
#include "engine/runtime/conv_kernels.h"
#include "engine/runtime/conv_patches.h"
#include "engine/runtime/guard.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/product_witness.h"
#include "engine/runtime/quantized_params.h"
#include "engine/runtime/quantized_product.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kX, kW, kXZeroPoint, kWZeroPoint };

struct Worker {
  ScratchBuffer patches;
  PackedMatrix packed;
  ProductScratch product;
  Correction correction;
};

struct ZeroPoints {
  std::int32_t x = 0;
  BlockVector<std::int32_t> w;          // [M]
  BlockVector<std::int32_t> x_columns;  // x, as often as a block has positions
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
      depthwise_ = exact() && w->dim(0) == group_ && w->dim(1) == 1;
    }
  }

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(kX);
    const Tensor& w = context.input(kW);
    ASSAY_TRY(expect_8bit(x, "x"));
    ASSAY_TRY(expect_8bit(w, "w"));
    ASSAY_ASSIGN(const ConvShape shape, resolve_conv_shape(spec_, group_, x.shape(), w.shape()));
    ZeroPoints zero_points;
    ASSAY_ASSIGN(zero_points.x, read_zero_point(context.input(kXZeroPoint), x.dtype(), "x_zero_point"));
    ASSAY_TRY(read_zero_points(context.input(kWZeroPoint), w.dtype(), shape.outputs(), "w_zero_point", zero_points.w));
    choose(x.dtype(), w.dtype());
    depthwise_ = exact() && shape.depthwise();
    if (!saturates()) {
      context.witness = nullptr;
    }
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kInt32, shape.output_shape()));
    context.multiply_accumulates = shape.multiply_accumulates();
    if (depthwise_) {
      run_depthwise(context, shape, zero_points, y);
    } else {
      ASSAY_TRY(run_product(context, shape, zero_points, y));
    }
    outputs.push_back(std::move(y));
    return {};
  }

  KernelInfo kernel() const override { return conv_kernel_info(kernels_, depthwise_, profile_); }

  bool saturates() const override { return !exact(); }

 private:
  void choose(DType x, DType w) {
    x_signed_ = x == DType::kInt8;
    w_signed_ = w == DType::kInt8;
    kernels_ = choose_conv_kernels(profile_, operands_of(w_signed_, x_signed_), features_);
  }
  bool exact() const { return kernels_.gemm.kernel->arithmetic == Arithmetic::kExact; }

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
      kernels_.depthwise.kernel->run(args);
    });
  }

  Status run_product(const RunContext& context, const ConvShape& shape, ZeroPoints& zero_points, Tensor& y) {
    const bool watched = context.witness != nullptr;
    const ConvTasks tasks(shape, shape.group_outputs, watched ? 1 : context.threads);
    const Index most_positions = tasks.most_positions();
    ASSAY_ASSIGN(const Index patch_bytes, element_count({most_positions, shape.contraction()}));
    zero_points.x_columns.assign(static_cast<std::size_t>(most_positions), zero_points.x);
    workers_.resize(static_cast<std::size_t>(context.threads));
    for (Worker& worker : workers_) {
      ASSAY_TRY(worker.patches.reserve(patch_bytes));
      ASSAY_TRY(worker.packed.packed.reserve(kernels_.gemm.kernel->packed_bytes(most_positions, shape.contraction())));
      ASSAY_TRY(worker.product.reserve(shape.group_outputs, most_positions));
    }
    BlockVector<Status> failures(workers_.size());
    for_each_task(tasks.count() * group_, watched ? 1 : context.threads, [&](Index task, int slot) {
      const auto s = static_cast<std::size_t>(slot);
      const Block block{.positions = tasks.at(task / group_), .group = task % group_};
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
    OutputBlock positions;
    Index group = 0;
  };

  Status run_block(const RunContext& context, const ConvShape& shape, const ZeroPoints& zero_points, const Block& block,
                   Worker& worker, Tensor& y) const {
    const ByteMatrix patches = patch_matrix(context.input(kX), shape, zero_points, block, worker);
    ASSAY_TRY(pack_matrix(*kernels_.gemm.kernel, patches, worker.packed));
    const auto columns = static_cast<std::size_t>(patches.columns);
    make_correction(
        {.b = worker.packed, .b_zero_points = std::span<const std::int32_t>(zero_points.x_columns).first(columns)},
        worker.correction);
    const Index first_output = block.group * shape.group_outputs;
    const ProductRows weights{.a = context.input(kW).bytes() + first_output * shape.contraction(),
                              .count = shape.group_outputs,
                              .stride_bytes = shape.contraction(),
                              .is_signed = w_signed_};
    const auto w_zero_points =
        std::span<const std::int32_t>(zero_points.w)
            .subspan(static_cast<std::size_t>(first_output), static_cast<std::size_t>(shape.group_outputs));
    const Index plane = block.positions.sample * shape.outputs() + first_output;
    std::int32_t* out =
        y.mutable_data<std::int32_t>().data() + plane * shape.positions() + block.positions.first_position;
    multiply_correct({*kernels_.gemm.kernel, worker.packed, worker.correction}, w_zero_points, weights,
                     {.y = out, .row_stride = shape.positions()}, worker.product);
    if (context.witness != nullptr) {
      witness_weight_rows(weights, patches, first_output, *context.witness);
    }
    return {};
  }

  // [C/group * taps, positions of the block]: of the image itself where there is one tap.
  ByteMatrix patch_matrix(const Tensor& x, const ConvShape& shape, const ZeroPoints& zero_points, const Block& block,
                          Worker& worker) const {
    const Index channel = block.positions.sample * shape.channels() + block.group * shape.group_channels;
    const std::byte* image = x.bytes() + channel * shape.image_size();
    ByteMatrix matrix{.rows = shape.contraction(), .columns = block.positions.positions, .is_signed = x_signed_};
    if (shape.pointwise()) {
      matrix.data = image + block.positions.first_position;
      matrix.row_stride_bytes = shape.image_size();
      return matrix;
    }
    const PatchSource source{.kernel = *kernels_.im2col,
                             .image = reinterpret_cast<const std::uint8_t*>(image),
                             .pad_value = static_cast<std::uint8_t>(zero_points.x)};
    write_patches_channel_first(shape, source, block.positions, worker.patches.as<std::uint8_t>());
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
  ConvKernels kernels_;
  std::vector<Worker> workers_;
};

}  // namespace

OperatorResult prepare_conv_integer(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 4));
  ASSAY_ASSIGN(WindowSpec spec, read_window_spec(context.node));
  return OperatorResult(std::make_unique<ConvInteger>(context, std::move(spec)));
}

}  // namespace assay::runtime
