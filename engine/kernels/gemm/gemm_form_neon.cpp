// SPDX-License-Identifier: Apache-2.0
// Advanced SIMD: 16 elements at a time, the last ones one by one.
#include <arm_neon.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kStep = 16;

void run_flipped(const GemmFormArgs& args) {
  for (std::int64_t i = 0; i < args.rows; ++i) {
    const auto* from = static_cast<const std::uint8_t*>(args.from) + i * args.from_stride_bytes;
    auto* to = static_cast<std::uint8_t*>(args.to) + i * args.to_stride_bytes;
    std::int64_t p = 0;
    for (; p + kStep <= args.count; p += kStep) {
      vst1q_u8(to + p, veorq_u8(vld1q_u8(from + p), vdupq_n_u8(0x80)));
    }
    for (; p < args.count; ++p) {
      to[p] = from[p] ^ 0x80;
    }
    for (; p < args.padded; ++p) {
      to[p] = 0;
    }
  }
}

template <bool kSigned>
int16x8_t widened(uint8x8_t bytes) {
  return kSigned ? vmovl_s8(vreinterpret_s8_u8(bytes)) : vreinterpretq_s16_u16(vmovl_u8(bytes));
}

template <bool kSigned>
void run_widened(const GemmFormArgs& args) {
  for (std::int64_t i = 0; i < args.rows; ++i) {
    const auto* from = static_cast<const std::uint8_t*>(args.from) + i * args.from_stride_bytes;
    auto* to = reinterpret_cast<std::int16_t*>(static_cast<std::uint8_t*>(args.to) + i * args.to_stride_bytes);
    std::int64_t p = 0;
    for (; p + kStep <= args.count; p += kStep) {
      const uint8x16_t bytes = vld1q_u8(from + p);
      vst1q_s16(to + p, widened<kSigned>(vget_low_u8(bytes)));
      vst1q_s16(to + p + 8, widened<kSigned>(vget_high_u8(bytes)));
    }
    for (; p < args.count; ++p) {
      to[p] = static_cast<std::int16_t>(kSigned ? static_cast<std::int8_t>(from[p]) : std::int16_t{from[p]});
    }
    for (; p < args.padded; ++p) {
      to[p] = 0;
    }
  }
}

}  // namespace

void form_flipped_neon(const GemmFormArgs& args) { run_flipped(args); }
void form_unsigned16_neon(const GemmFormArgs& args) { run_widened<false>(args); }
void form_signed16_neon(const GemmFormArgs& args) { run_widened<true>(args); }

}  // namespace assay::kernels
