// SPDX-License-Identifier: Apache-2.0
// BatchNormalization in inference on float32: y = (x - mean) * (scale / sqrt(var + epsilon)) + bias per channel,
// dimension 1; the factor is computed in double. A rank-1 input is one channel.
#include <array>
#include <cmath>

#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

constexpr std::array kParameters = {"X", "scale", "B", "input_mean", "input_var"};

Status check_parameters(const RunContext& run, Index channels) {
  for (std::size_t i = 0; i < kParameters.size(); ++i) {
    ASSAY_TRY(check_type(run.input(i), kParameters[i], {DType::kFloat32}));
    if (i > 0 && run.input(i).shape() != Shape{channels}) {
      return invalid_argument(std::string(kParameters[i]) + " must have the shape [" + std::to_string(channels) +
                              "], one value per channel of X " + shape_text(run.input(0).shape()) + "; found " +
                              shape_text(run.input(i).shape()));
    }
  }
  return {};
}

// y = (x - center) * factor + offset.
struct Affine {
  float center = 0;
  float factor = 1;
  float offset = 0;
};

BlockVector<Affine> affine_by_channel(const RunContext& run, float epsilon) {
  const auto scale = run.input(1).data<float>();
  const auto bias = run.input(2).data<float>();
  const auto mean = run.input(3).data<float>();
  const auto variance = run.input(4).data<float>();
  BlockVector<Affine> channels;
  channels.reserve(scale.size());
  for (std::size_t c = 0; c < scale.size(); ++c) {
    const double deviation = std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(epsilon));
    channels.push_back({.center = mean[c],
                        .factor = static_cast<float>(static_cast<double>(scale[c]) / deviation),
                        .offset = bias[c]});
  }
  return channels;
}

Result<Tensor> normalize(const RunContext& run, float epsilon) {
  const Tensor& x = run.input(0);
  if (x.rank() == 0) {
    return invalid_argument("X must have at least one dimension; found []");
  }
  const Index channels = x.rank() == 1 ? 1 : x.dim(1);
  ASSAY_TRY(check_parameters(run, channels));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, x.shape()));
  if (x.size() == 0) {
    return y;
  }
  const Index plane = dims_product(x.shape(), x.rank() == 1 ? 1 : 2, x.rank());
  const BlockVector<Affine> affine = affine_by_channel(run, epsilon);
  const float* in = x.data<float>().data();
  float* out = y.mutable_data<float>().data();
  for (Index row = 0; row < x.dim(0) * channels; ++row) {
    const auto [center, factor, offset] = affine[static_cast<std::size_t>(row % channels)];
    for (Index i = row * plane; i < (row + 1) * plane; ++i) {
      out[i] = (in[i] - center) * factor + offset;
    }
  }
  return y;
}

class BatchNormalization final : public Operator {
 public:
  explicit BatchNormalization(float epsilon) : epsilon_(epsilon) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(Tensor y, normalize(context, epsilon_));
    outputs.push_back(std::move(y));
    return {};
  }

  bool takes_blocks() const override { return true; }

  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const ChannelBlocks& x = context.blocks[0];
    for (std::size_t i = 1; i < kParameters.size(); ++i) {
      if (context.input(i).dtype() != DType::kFloat32 || context.input(i).shape() != Shape{x.shape[1]}) {
        return ChannelBlocks();
      }
    }
    ASSAY_ASSIGN(ChannelBlocks y, allocate_blocks(x.shape, x.block()));
    const auto lanes = static_cast<std::size_t>(x.data.dim(1) * x.block());
    const BlockVector<Affine> channels = affine_by_channel(context, epsilon_);
    BlockVector<float> factor(lanes, 0);
    BlockVector<float> center(lanes, 0);
    BlockVector<float> offset(lanes, 0);
    for (std::size_t c = 0; c < channels.size(); ++c) {
      factor[c] = channels[c].factor;
      center[c] = channels[c].center;
      offset[c] = channels[c].offset;
    }
    const Index block = x.block();
    const float* in = x.data.data<float>().data();
    float* out = y.data.mutable_data<float>().data();
    for (Index plane = 0; plane < x.data.dim(0) * x.data.dim(1); ++plane) {
      const auto first = static_cast<std::size_t>(plane % x.data.dim(1) * block);
      for (Index pixel = 0; pixel < x.pixels(); ++pixel, in += block, out += block) {
        for (Index lane = 0; lane < block; ++lane) {
          const std::size_t c = first + static_cast<std::size_t>(lane);
          out[lane] = (in[lane] - center[c]) * factor[c] + offset[c];
        }
      }
    }
    return y;
  }

  KernelInfo kernel() const override { return plain_kernel("float32"); }

 private:
  float epsilon_;
};

}  // namespace

OperatorResult prepare_batch_normalization(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 5, 5));
  if (context.node.int_attribute("training_mode", 0) != 0) {
    return unsupported("training_mode must be 0: only inference is computed");
  }
  if (context.node.int_attribute("spatial", 1) != 1) {
    return unsupported("spatial must be 1: statistics per activation are not computed");
  }
  const float epsilon = context.node.float_attribute("epsilon", 1e-5F);
  return OperatorResult(std::make_unique<BatchNormalization>(epsilon));
}

}  // namespace assay::runtime
