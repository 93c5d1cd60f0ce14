// SPDX-License-Identifier: Apache-2.0
// LRN across channels: y = x / (bias + alpha / size * sum of squares of the `size` channels around)^beta. float32.
#include <algorithm>
#include <cmath>

#include "engine/runtime/ops/layer_operators.h"

namespace assay::runtime {
namespace {

struct LrnSpec {
  Index size = 1;
  double alpha = 1e-4;
  double beta = 0.75;
  double bias = 1;
};

Result<Tensor> lrn(const Tensor& x, const LrnSpec& spec) {
  ASSAY_TRY(check_type(x, "X", {DType::kFloat32}));
  if (x.rank() < 3) {
    return invalid_argument("X must be [N, C, ...]; found " + shape_text(x.shape()));
  }
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, x.shape()));
  const Index channels = x.dim(1);
  const Index plane = dims_product(x.shape(), 2, x.rank());
  const Index before = (spec.size - 1) / 2;
  const Index after = spec.size - 1 - before;
  std::vector<double> sums(static_cast<std::size_t>(plane));
  for (Index n = 0; n < x.dim(0); ++n) {
    const float* in = x.data<float>().data() + n * channels * plane;
    float* out = y.mutable_data<float>().data() + n * channels * plane;
    for (Index c = 0; c < channels; ++c) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (Index k = std::max(Index{0}, c - before); k <= std::min(channels - 1, c + after); ++k) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
          const auto value = static_cast<double>(in[k * plane + static_cast<Index>(i)]);
          sums[i] += value * value;
        }
      }
      for (Index i = 0; i < plane; ++i) {
        const double base = spec.bias + spec.alpha / static_cast<double>(spec.size) * sums[static_cast<std::size_t>(i)];
        out[c * plane + i] = static_cast<float>(static_cast<double>(in[c * plane + i]) * std::pow(base, -spec.beta));
      }
    }
  }
  return y;
}

}  // namespace

OperatorResult prepare_lrn(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const Node& node = context.node;
  const LrnSpec spec{.size = node.int_attribute("size", 0),
                     .alpha = static_cast<double>(node.float_attribute("alpha", 1e-4F)),
                     .beta = static_cast<double>(node.float_attribute("beta", 0.75F)),
                     .bias = static_cast<double>(node.float_attribute("bias", 1.0F))};
  if (spec.size < 1) {
    return invalid_model("size must be positive; found " + std::to_string(spec.size));
  }
  return make_operator([spec](const RunContext& run) { return lrn(run.input(0), spec); }, "float32");
}

}  // namespace assay::runtime
