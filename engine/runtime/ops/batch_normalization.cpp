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
  const auto scale = run.input(1).data<float>();
  const auto bias = run.input(2).data<float>();
  const auto mean = run.input(3).data<float>();
  const auto variance = run.input(4).data<float>();
  const float* in = x.data<float>().data();
  float* out = y.mutable_data<float>().data();
  for (Index row = 0; row < x.dim(0) * channels; ++row) {
    const auto c = static_cast<std::size_t>(row % channels);
    const double deviation = std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(epsilon));
    const auto factor = static_cast<float>(static_cast<double>(scale[c]) / deviation);
    const float center = mean[c];
    const float offset = bias[c];
    for (Index i = row * plane; i < (row + 1) * plane; ++i) {
      out[i] = (in[i] - center) * factor + offset;
    }
  }
  return y;
}

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
  return make_operator([epsilon](const RunContext& run) { return normalize(run, epsilon); }, "float32");
}

}  // namespace assay::runtime
