// SPDX-License-Identifier: Apache-2.0
// Advanced SIMD of every AArch64: smlal by a lane, one product for each of four int32.
#include <arm_neon.h>

#include "engine/kernels/peak/peak_args.h"

namespace assay::kernels {
namespace {

constexpr int kChains = 24;

}  // namespace

void peak_smlal_q(const PeakArgs& args) {
  int16x4_t a = vdup_n_s16(args.a);
  const int16x4_t b = vdup_n_s16(args.b);
  int32x4_t acc[kChains];
#pragma GCC unroll 32
  for (int i = 0; i < kChains; ++i) {
    acc[i] = vdupq_n_s32(0);
  }
  for (std::int64_t step = 0; step < args.steps; ++step) {
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      asm("" : "+w"(a));  // a value that the compiler does not know: no product is computed just once
      acc[i] = vmlal_lane_s16(acc[i], a, b, 0);
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
