// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "engine/base/rounding.h"
#include "engine/kernels/elementwise/binary_args.h"

namespace assay::kernels {

void qlinear_add_fused_scalar(const BinaryArgs& args);
void qlinear_add_unfused_scalar(const BinaryArgs& args);
void qlinear_mul_scalar(const BinaryArgs& args);

namespace {

template <typename T>
T quantized(float v) {
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr auto kHigh = static_cast<float>(std::numeric_limits<T>::max());
  const float raised = v > kLow ? v : kLow;  // NaN: low
  return static_cast<T>(round_half_even(raised < kHigh ? raised : kHigh));
}

template <typename T, typename Function>
void for_each_pair(const BinaryArgs& args, Function&& function) {
  const T* a = static_cast<const T*>(args.a.data);
  const T* b = static_cast<const T*>(args.b.data);
  T* y = static_cast<T*>(args.y);
  for (std::int64_t i = 0; i < args.count; ++i) {
    y[i] = quantized<T>(function(a[i * args.a.step], b[i * args.b.step]));
  }
}

template <typename T>
void add_fused(const BinaryArgs& args) {
  const float ra = args.a.scale / args.y_scale;
  const float rb = args.b.scale / args.y_scale;
  const float zeros = std::fma(ra, static_cast<float>(args.a.zero_point), rb * static_cast<float>(args.b.zero_point));
  const float c = static_cast<float>(args.y_zero_point) - zeros;
  for_each_pair<T>(
      args, [=](T a, T b) { return std::fma(static_cast<float>(a), ra, std::fma(static_cast<float>(b), rb, c)); });
}

template <typename T>
void add_unfused(const BinaryArgs& args) {
  const float ra = args.a.scale / args.y_scale;
  const float rb = args.b.scale / args.y_scale;
  const float zeros = ra * static_cast<float>(args.a.zero_point) + rb * static_cast<float>(args.b.zero_point);
  const float c = static_cast<float>(args.y_zero_point) - zeros;
  for_each_pair<T>(args, [=](T a, T b) { return static_cast<float>(b) * rb + (static_cast<float>(a) * ra + c); });
}

template <typename T>
void multiply(const BinaryArgs& args) {
  const float scale = args.a.scale * args.b.scale / args.y_scale;
  const auto y_zero = static_cast<float>(args.y_zero_point);
  for_each_pair<T>(args, [&](T a, T b) {
    const std::int32_t product = (a - args.a.zero_point) * (b - args.b.zero_point);
    return static_cast<float>(product) * scale + y_zero;
  });
}

}  // namespace

void qlinear_add_fused_scalar(const BinaryArgs& args) {
  args.is_signed ? add_fused<std::int8_t>(args) : add_fused<std::uint8_t>(args);
}

void qlinear_add_unfused_scalar(const BinaryArgs& args) {
  args.is_signed ? add_unfused<std::int8_t>(args) : add_unfused<std::uint8_t>(args);
}

void qlinear_mul_scalar(const BinaryArgs& args) {
  args.is_signed ? multiply<std::int8_t>(args) : multiply<std::uint8_t>(args);
}

}  // namespace assay::kernels
