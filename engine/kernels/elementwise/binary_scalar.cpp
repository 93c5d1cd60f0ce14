// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "engine/kernels/elementwise/binary_args.h"

namespace assay::kernels {

void qlinear_add_fused_scalar(const BinaryArgs& args);
void qlinear_add_unfused_scalar(const BinaryArgs& args);
void qlinear_mul_scalar(const BinaryArgs& args);

namespace {

constexpr std::int64_t kBlock = 256;

// Blocks of floats, so that compilers vectorise every step.
template <typename T>
void load(const BinaryOperand& operand, std::int64_t first, std::int64_t count, float* out) {
  const T* from = static_cast<const T*>(operand.data) + first * operand.step;
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(operand.step == 1 ? from[i] : *from);
  }
}

// clamp(rint(v)); adding 1.5 * 2^23 rounds what lies within the range of 8 bits to an integer, half to even.
template <typename T>
void store(const float* v, std::int64_t count, T* y) {
  constexpr float kInteger = 12582912.0F;
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr auto kHigh = static_cast<float>(std::numeric_limits<T>::max());
  for (std::int64_t i = 0; i < count; ++i) {
    const float raised = v[i] > kLow ? v[i] : kLow;  // NaN: low
    const float clamped = raised < kHigh ? raised : kHigh;
    y[i] = static_cast<T>(static_cast<std::int32_t>((clamped + kInteger) - kInteger));
  }
}

template <typename T, typename Function>
void for_each_pair(const BinaryArgs& args, const Function& function) {
  float a[kBlock];
  float b[kBlock];
  for (std::int64_t first = 0; first < args.count; first += kBlock) {
    const std::int64_t count = args.count - first < kBlock ? args.count - first : kBlock;
    load<T>(args.a, first, count, a);
    load<T>(args.b, first, count, b);
    for (std::int64_t i = 0; i < count; ++i) {
      a[i] = function(a[i], b[i]);
    }
    store(a, count, static_cast<T*>(args.y) + first);
  }
}

template <typename T>
void add_fused(const BinaryArgs& args) {
  const float ra = args.a.scale / args.y_scale;
  const float rb = args.b.scale / args.y_scale;
  const float zeros = std::fma(ra, static_cast<float>(args.a.zero_point), rb * static_cast<float>(args.b.zero_point));
  const float c = static_cast<float>(args.y_zero_point) - zeros;
  for_each_pair<T>(args, [=](float a, float b) { return std::fma(a, ra, std::fma(b, rb, c)); });
}

template <typename T>
void add_unfused(const BinaryArgs& args) {
  const float ra = args.a.scale / args.y_scale;
  const float rb = args.b.scale / args.y_scale;
  const float zeros = ra * static_cast<float>(args.a.zero_point) + rb * static_cast<float>(args.b.zero_point);
  const float c = static_cast<float>(args.y_zero_point) - zeros;
  for_each_pair<T>(args, [=](float a, float b) { return b * rb + (a * ra + c); });
}

template <typename T>
void multiply(const BinaryArgs& args) {
  const float scale = args.a.scale * args.b.scale / args.y_scale;
  const auto y_zero = static_cast<float>(args.y_zero_point);
  const auto a_zero = static_cast<float>(args.a.zero_point);
  const auto b_zero = static_cast<float>(args.b.zero_point);
  // The product of the differences is an integer below 2^24: exact.
  for_each_pair<T>(args, [=](float a, float b) { return (a - a_zero) * (b - b_zero) * scale + y_zero; });
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
