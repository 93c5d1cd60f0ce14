// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/bias.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/rounding.h"

namespace assay::quantizer {
namespace {

constexpr double kLargestBias = 1 << 30;                      // |q| that may meet an accumulator
constexpr double kWideBiasSteps = 4294967294.0 / 2 / 1.0001;  // the same for 16-bit operands
constexpr double kZeroChannelBias = 1 << 20;                  // |q| of the largest bias behind all-zero weights
constexpr double kScaleMargin = 1.0000002;                    // float32 rounding of a raised scale must not undo it

// Bias values by channel; a single one is meant for all.
std::vector<double> channel_biases(const BiasArgs& args) {
  std::vector<double> values = args.bias.to_doubles();
  if (values.size() == 1) {
    values.assign(static_cast<std::size_t>(args.channels), values[0]);
  }
  return values;
}

// Largest |bias| that a weight scale has to serve.
double largest_bias(const std::vector<double>& biases, std::size_t scale, std::size_t scales) {
  if (scales == biases.size() && scales > 1) {
    return std::abs(biases[scale]);
  }
  double largest = 0;
  for (const double bias : biases) {
    largest = std::max(largest, std::abs(bias));
  }
  return largest;
}

// As the model stores it.
float bias_scale(float x_scale, float w_scale, DType type) {
  const float scale = x_scale * w_scale;
  return type == DType::kFloat16 ? float16_to_float(float_to_float16(scale)) : scale;
}

}  // namespace

ChannelParams fit_scales_to_bias(const ChannelParams& weights, const BiasArgs& args) {
  ChannelParams fitted = weights;
  const std::vector<double> biases = channel_biases(args);
  const auto x_scale = static_cast<double>(args.x_scale);
  for (std::size_t i = 0; i < fitted.count(); ++i) {
    const double bias = largest_bias(biases, i, fitted.count());
    if (bias == 0) {
      continue;
    }
    if (args.weight_channels[i].all_zero) {
      const double scale = bias / (x_scale * kZeroChannelBias);
      fitted.scales[i] = std::max(static_cast<float>(scale), std::numeric_limits<float>::min());
    }
    if (args.wide) {
      const double smallest = bias / kWideBiasSteps;
      const double scale = x_scale * static_cast<double>(fitted.scales[i]);
      if (scale < smallest) {
        fitted.scales[i] = static_cast<float>(static_cast<double>(fitted.scales[i]) * (smallest / scale));
      }
      continue;
    }
    const double smallest = bias / kLargestBias;
    if (static_cast<double>(bias_scale(args.x_scale, fitted.scales[i], weights.scale_type)) < smallest) {
      fitted.scales[i] = static_cast<float>(smallest / x_scale * kScaleMargin);
    }
  }
  return fitted;
}

Result<QuantizedBias> quantize_bias(const ChannelParams& weights, const BiasArgs& args) {
  const std::vector<double> biases = channel_biases(args);
  QuantizedBias quantized;
  for (const float scale : weights.scales) {
    quantized.scales.push_back(bias_scale(args.x_scale, scale, weights.scale_type));
  }
  std::vector<std::int32_t> values;
  values.reserve(biases.size());
  constexpr double kLowest = std::numeric_limits<std::int32_t>::min();
  constexpr double kHighest = std::numeric_limits<std::int32_t>::max();
  for (std::size_t c = 0; c < biases.size(); ++c) {
    const float scale = quantized.scales[weights.count() == 1 ? 0 : c];
    const double steps = biases[c] == 0 ? 0.0 : round_half_even(biases[c] / static_cast<double>(scale));
    quantized.saturated += steps < kLowest || steps > kHighest ? 1 : 0;
    values.push_back(static_cast<std::int32_t>(std::clamp(steps, kLowest, kHighest)));
  }
  ASSAY_ASSIGN(quantized.data, Tensor::allocate(DType::kInt32, {static_cast<Index>(values.size())}));
  std::copy(values.begin(), values.end(), quantized.data.mutable_data<std::int32_t>().begin());
  return quantized;
}

}  // namespace assay::quantizer
