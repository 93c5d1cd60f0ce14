// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/elementwise/lookup.h"

#include <algorithm>
#include <cmath>

#include "engine/kernels/linear/linear.h"

namespace assay::kernels {
namespace {

DType byte_type(bool is_signed) { return is_signed ? DType::kInt8 : DType::kUint8; }

template <typename T>
void clamp_to(const ClampArgs& args) {
  const T* x = static_cast<const T*>(args.x);
  T* y = static_cast<T*>(args.y);
  const T low = static_cast<T>(args.min);
  const T high = static_cast<T>(args.max);
  for (Index i = 0; i < args.count; ++i) {
    y[i] = std::min(std::max(x[i], low), high);
  }
}

}  // namespace

ByteFloats lookup_values(const ByteQuantization& x) {
  ByteTable bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i);
  }
  ByteFloats out{};
  dequantize_linear({.x = bytes.data(),
                     .x_type = byte_type(x.is_signed),
                     .count = static_cast<Index>(bytes.size()),
                     .scale = x.scale,
                     .zero_point = x.zero_point,
                     .y = out.data()});
  return out;
}

ByteTable lookup_table(const ByteFloats& y_values, const ByteQuantization& y) {
  ByteTable out{};
  quantize_linear({.x = y_values.data(),
                   .count = static_cast<Index>(y_values.size()),
                   .scale = y.scale,
                   .zero_point = y.zero_point,
                   .y_type = byte_type(y.is_signed),
                   .y = out.data()});
  return out;
}

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

float leaky_relu(float x, float alpha) { return x < 0.0F ? x * alpha : x; }

void lookup(const ByteTable& table, const std::uint8_t* x, Index count, std::uint8_t* y) {
  std::transform(x, x + count, y, [&](std::uint8_t byte) { return table[byte]; });
}

void clamp_bytes(const ClampArgs& args) {
  if (args.is_signed) {
    clamp_to<std::int8_t>(args);
  } else {
    clamp_to<std::uint8_t>(args);
  }
}

}  // namespace assay::kernels
