// SPDX-License-Identifier: Apache-2.0
// FEAT_I8MM: usmmla, eight products for each of four int32.
#include <arm_neon.h>

#include "engine/kernels/peak/peak_args.h"

namespace assay::kernels {
namespace {

constexpr int kChains = 24;

}  // namespace

void peak_usmmla_q(const PeakArgs& args) {
  uint8x16_t a = vdupq_n_u8(args.a);
  const int8x16_t b = vdupq_n_s8(args.b);
  int32x4_t acc[kChains];
#pragma GCC unroll 32
  for (int i = 0; i < kChains; ++i) {
    acc[i] = vdupq_n_s32(0);
  }
  for (std::int64_t step = 0; step < args.steps; ++step) {
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      asm("" : "+w"(a));  // a value that the compiler does not know: no product is computed just once
      acc[i] = vusmmlaq_s32(acc[i], a, b);
      asm("" : "+w"(acc[i]));  // one register from step to step
    }
  }
#pragma GCC unroll 32
  for (int i = 1; i < kChains; ++i) {
    acc[0] = vaddq_s32(acc[0], acc[i]);
  }
  *args.sum = vgetq_lane_s32(acc[0], 0);
}

}  // namespace assay::kernels
