// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePool on float32: the mean over all spatial dimensions, accumulated in double.
#include <array>

#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

Result<Tensor> global_average_pool(const Tensor& x) {
  ASSAY_TRY(check_type(x, "X", {DType::kFloat32}));
  if (x.rank() < 3) {
    return invalid_argument("X must have the shape [N,C,...] with a spatial dimension; found " + shape_text(x.shape()));
  }
  Shape shape(x.rank(), 1);
  shape[0] = x.dim(0);
  shape[1] = x.dim(1);
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, std::move(shape)));
  if (y.size() == 0) {
    return y;
  }
  if (x.size() == 0) {
    return invalid_argument("the mean of no elements is undefined; X has the shape " + shape_text(x.shape()));
  }
  const Index plane = dims_product(x.shape(), 2, x.rank());
  const float* in = x.data<float>().data();
  for (float& mean : y.mutable_data<float>()) {
    double sum = 0;
    for (Index i = 0; i < plane; ++i) {
      sum += static_cast<double>(in[i]);
    }
    mean = static_cast<float>(sum / static_cast<double>(plane));
    in += plane;
  }
  return y;
}

constexpr Index kLanes = 8;  // sums in registers

// kLanes channels out of blocks of `block`.
template <Index kCount>
void average_lanes(const float* in, Index pixels, Index block, float* out) {
  std::array<double, kCount> sums = {};
  for (Index pixel = 0; pixel < pixels; ++pixel, in += block) {
    for (std::size_t lane = 0; lane < kCount; ++lane) {
      sums[lane] += static_cast<double>(in[lane]);
    }
  }
  for (std::size_t lane = 0; lane < kCount; ++lane) {
    out[lane] = static_cast<float>(sums[lane] / static_cast<double>(pixels));
  }
}

class GlobalAveragePool final : public Operator {
 public:
  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(Tensor y, global_average_pool(context.input(0)));
    outputs.push_back(std::move(y));
    return {};
  }

  bool takes_blocks() const override { return true; }

  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const ChannelBlocks& x = context.blocks[0];
    Shape shape(x.shape.size(), 1);
    shape[0] = x.shape[0];
    shape[1] = x.shape[1];
    ASSAY_ASSIGN(ChannelBlocks y, allocate_blocks(std::move(shape), x.block()));
    const Index block = x.block();
    const float* in = x.data.data<float>().data();
    float* out = y.data.mutable_data<float>().data();
    for (Index plane = 0; plane < x.data.dim(0) * x.data.dim(1); ++plane) {
      Index lane = 0;
      for (; lane + kLanes <= block; lane += kLanes) {
        average_lanes<kLanes>(in + lane, x.pixels(), block, out + lane);
      }
      for (; lane < block; ++lane) {
        average_lanes<1>(in + lane, x.pixels(), block, out + lane);
      }
      in += x.pixels() * block;
      out += block;
    }
    return y;
  }

  KernelInfo kernel() const override { return plain_kernel("float32"); }
};

}  // namespace

OperatorResult prepare_global_average_pool(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  return OperatorResult(std::make_unique<GlobalAveragePool>());
}

}  // namespace assay::runtime
