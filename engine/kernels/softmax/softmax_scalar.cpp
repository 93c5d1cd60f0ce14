// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/base/rounding.h"
#include "engine/kernels/softmax/softmax_args.h"

namespace assay::kernels {

void softmax_scalar(const SoftmaxArgs& args);
void qlinear_softmax_scalar(const QLinearSoftmaxArgs& args);

namespace {

constexpr std::int64_t kLanes = 16;
constexpr float kLeast = -87.0F;
constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer, which the low bits then hold

float exponential(float distance) {
  const float d = distance < kLeast ? kLeast : distance;
  const float shifted = d * 1.44269504F + kRounder;
  const float n = shifted - kRounder;
  const float r = (d - n * 0.693359375F) - n * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = (p * (r * r) + r) + 1.0F;
  const float power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) << 23U) + 0x3F800000U);
  return distance < kLeast ? 0.0F : p * power;
}

// The contract's sum of value(0) to value(length - 1).
template <typename Value>
float sum_of(std::int64_t length, const Value& value) {
  float lanes[kLanes] = {};
  for (std::int64_t i = 0; i < length; ++i) {
    lanes[i % kLanes] += value(i);
  }
  for (std::int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::int64_t i = 0; i < width; ++i) {
      lanes[i] += lanes[i + width];
    }
  }
  return lanes[0];
}

template <typename T>
void qlinear_row(const QLinearSoftmaxArgs& args, const T* x, T* y) {
  const T largest = *std::max_element(x, x + args.length);
  const auto exponential_of = [&](std::int64_t i) { return args.exponentials[largest - x[i]]; };
  const float sum = sum_of(args.length, exponential_of);
  const auto low = static_cast<float>(std::numeric_limits<T>::min() - args.y_zero_point);
  const auto high = static_cast<float>(std::numeric_limits<T>::max() - args.y_zero_point);
  for (std::int64_t i = 0; i < args.length; ++i) {
    const float v = exponential_of(i) * args.steps / sum;
    const float raised = v > low ? v : low;  // NaN: low
    const float clamped = raised < high ? raised : high;
    y[i] = static_cast<T>(static_cast<std::int32_t>(round_half_even(clamped)) + args.y_zero_point);
  }
}

template <typename T>
void qlinear_rows(const QLinearSoftmaxArgs& args) {
  for (std::int64_t row = 0; row < args.rows && args.length > 0; ++row) {
    qlinear_row(args, reinterpret_cast<const T*>(args.x) + row * args.length,
                reinterpret_cast<T*>(args.y) + row * args.length);
  }
}

}  // namespace

void softmax_scalar(const SoftmaxArgs& args) {
  for (std::int64_t row = 0; row < args.rows && args.length > 0; ++row) {
    const float* x = args.x + row * args.length;
    float* y = args.y + row * args.length;
    const float largest = *std::max_element(x, x + args.length);
    std::transform(x, x + args.length, y, [&](float value) { return exponential(value - largest); });
    const float sum = sum_of(args.length, [&](std::int64_t i) { return y[i]; });
    std::transform(y, y + args.length, y, [&](float e) { return e / sum; });
  }
}

void qlinear_softmax_scalar(const QLinearSoftmaxArgs& args) {
  args.is_signed ? qlinear_rows<std::int8_t>(args) : qlinear_rows<std::uint8_t>(args);
}

}  // namespace assay::kernels
