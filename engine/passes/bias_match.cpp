// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/bias_match.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/base/rounding.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr double kScaleTolerance = 1e-6;

double element(const std::vector<double>& values, std::size_t i) { return values.size() == 1 ? values[0] : values[i]; }

// x_scale * w_scale per channel, or one.
std::vector<double> product_scales(const Quantization& x, const Quantization& w) {
  std::vector<double> scales = w.scales.to_doubles();
  for (double& scale : scales) {
    scale *= static_cast<double>(x.scale_value());
  }
  return scales;
}

bool scales_match(const std::vector<double>& bias, const std::vector<double>& product) {
  if (bias.size() != product.size() && bias.size() != 1 && product.size() != 1) {
    return false;
  }
  for (std::size_t i = 0; i < std::max(bias.size(), product.size()); ++i) {
    const double want = element(product, i);
    if (!(std::fabs(element(bias, i) - want) <= kScaleTolerance * want)) {
      return false;
    }
  }
  return true;
}

bool all_zero(const Tensor& zero_points) {
  const std::vector<Index> values = zero_points.empty() ? std::vector<Index>() : zero_points.to_indices();
  return std::all_of(values.begin(), values.end(), [](Index value) { return value == 0; });
}

std::optional<std::string> dequantized_bias(const Quantization& bias, const std::vector<double>& scales) {
  const bool matches =
      bias.dtype == DType::kInt32 && all_zero(bias.zero_points) && scales_match(bias.scales.to_doubles(), scales);
  return matches ? std::optional(bias.integers) : std::nullopt;
}

std::optional<std::string> quantized_constant(Graph& graph, const std::string& value,
                                              const std::vector<double>& scales) {
  const Tensor& bias = *graph.constant(value);
  if (bias.dtype() != DType::kFloat32 || bias.rank() > 2) {
    return std::nullopt;
  }
  const std::size_t channels = bias.rank() == 0 ? 1 : static_cast<std::size_t>(bias.shape().back());
  if (scales.size() != 1 && scales.size() != channels) {
    return std::nullopt;
  }
  const auto data = bias.data<float>();
  std::vector<std::int32_t> integers(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double scaled = round_half_even(static_cast<double>(data[i]) / element(scales, i % channels));
    if (!(std::fabs(scaled) <= std::numeric_limits<std::int32_t>::max())) {
      return std::nullopt;
    }
    integers[i] = static_cast<std::int32_t>(scaled);
  }
  return add_initializer(graph, value + "_int32", Tensor::from(bias.shape(), integers));
}

}  // namespace

std::optional<std::string> match_bias(Graph& graph, const ValueIndex& index, const std::string& value,
                                      const Quantization& x, const Quantization& w) {
  const std::vector<double> scales = product_scales(x, w);
  if (graph.constant(value) != nullptr) {
    return quantized_constant(graph, value, scales);
  }
  const auto bias = match_dequantize(graph, index, value);
  return bias.has_value() ? dequantized_bias(*bias, scales) : std::nullopt;
}

}  // namespace assay::passes
