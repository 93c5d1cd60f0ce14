// SPDX-License-Identifier: Apache-2.0
// Advanced SIMD, 16 bytes a step; a shorter last step goes through a buffer. The table is four quarters of 64 bytes.
// tbl gives 0 for an index beyond its quarter and tbx leaves what is there, so that each byte is found in one of the
// four.
#include <arm_neon.h>

#include <cstdint>

#include "engine/kernels/elementwise/lookup_args.h"

namespace assay::kernels {

void lookup_neon(const LookupArgs& args);
void clamp_bytes_neon(const ClampArgs& args);

namespace {

constexpr std::int64_t kStep = 16;
constexpr int kQuarter = 64;

// y[i] = function(x[i]) with function on whole registers.
template <typename Function>
void map(const std::uint8_t* x, std::int64_t count, std::uint8_t* y, Function function) {
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    vst1q_u8(y + i, function(vld1q_u8(x + i)));
  }
  if (i < count) {
    std::uint8_t buffer[kStep] = {};
    for (std::int64_t j = 0; i + j < count; ++j) {
      buffer[j] = x[i + j];
    }
    vst1q_u8(buffer, function(vld1q_u8(buffer)));
    for (std::int64_t j = 0; i + j < count; ++j) {
      y[i + j] = buffer[j];
    }
  }
}

}  // namespace

void lookup_neon(const LookupArgs& args) {
  const uint8x16x4_t first = vld1q_u8_x4(args.table);
  const uint8x16x4_t second = vld1q_u8_x4(args.table + kQuarter);
  const uint8x16x4_t third = vld1q_u8_x4(args.table + 2 * kQuarter);
  const uint8x16x4_t fourth = vld1q_u8_x4(args.table + 3 * kQuarter);
  map(args.x, args.count, args.y, [&](uint8x16_t x) {
    uint8x16_t out = vqtbl4q_u8(first, x);
    out = vqtbx4q_u8(out, second, vsubq_u8(x, vdupq_n_u8(kQuarter)));
    out = vqtbx4q_u8(out, third, vsubq_u8(x, vdupq_n_u8(2 * kQuarter)));
    return vqtbx4q_u8(out, fourth, vsubq_u8(x, vdupq_n_u8(3 * kQuarter)));
  });
}

void clamp_bytes_neon(const ClampArgs& args) {
  const auto* x = static_cast<const std::uint8_t*>(args.x);
  auto* y = static_cast<std::uint8_t*>(args.y);
  if (args.is_signed) {
    const int8x16_t low = vdupq_n_s8(static_cast<std::int8_t>(args.min));
    const int8x16_t high = vdupq_n_s8(static_cast<std::int8_t>(args.max));
    map(x, args.count, y,
        [&](uint8x16_t v) { return vreinterpretq_u8_s8(vminq_s8(vmaxq_s8(vreinterpretq_s8_u8(v), low), high)); });
  } else {
    const uint8x16_t low = vdupq_n_u8(static_cast<std::uint8_t>(args.min));
    const uint8x16_t high = vdupq_n_u8(static_cast<std::uint8_t>(args.max));
    map(x, args.count, y, [&](uint8x16_t v) { return vminq_u8(vmaxq_u8(v, low), high); });
  }
}

}  // namespace assay::kernels
