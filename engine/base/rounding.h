// SPDX-License-Identifier: Apache-2.0
// The rounding rules of quantization, in one place. ISA kernels do not include this (see docs/architecture.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay {

// To the nearest integer, ties to even: the default rounding mode, which nothing in assay changes.
inline float round_half_even(float value) { return std::nearbyint(value); }
inline double round_half_even(double value) { return std::nearbyint(value); }

// int32 addition that wraps, as the hardware does.
inline std::int32_t wrapping_add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
inline std::int32_t wrapping_sub(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
inline std::int32_t wrapping_mul(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

}  // namespace assay
