// SPDX-License-Identifier: Apache-2.0
// FEAT_DotProd: sdot by a lane. It takes a as a - 128; what that leaves out is added once, at the end.
#include <arm_neon.h>

#include "engine/kernels/peak/peak_args.h"

namespace assay::kernels {
namespace {

constexpr int kChains = 24;

}  // namespace

void peak_sdot_q(const PeakArgs& args) {
  int8x16_t a = vdupq_n_s8(static_cast<std::int8_t>(args.a - 128));
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
      acc[i] = vdotq_laneq_s32(acc[i], a, b, 0);
      asm("" : "+w"(acc[i]));  // one register from step to step
    }
  }
#pragma GCC unroll 32
  for (int i = 1; i < kChains; ++i) {
    acc[0] = vaddq_s32(acc[0], acc[i]);
  }
  const std::int64_t left_out = kChains * args.steps * 4 * 128 * args.b;
  *args.sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(vgetq_lane_s32(acc[0], 0)) +
                                        static_cast<std::uint32_t>(left_out));
}

}  // namespace assay::kernels
