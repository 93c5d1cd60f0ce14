// SPDX-License-Identifier: Apache-2.0
// The arguments of the observers' kernels; observe.h has the contract. Plain structs and no other header of the
// project, because files compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct FloatExtremes {
  float min = 0;
  float max = 0;
  float least_magnitude = 0;
  bool finite = true;
};

// Elements take turns among so many counters of a bin, since neighbours often are equal and an increment must not wait
// for the last; those of the bin of 0, which a Relu fills, among more, which stand in front.
inline constexpr std::int32_t kCountersPerBin = 2;
inline constexpr std::int32_t kZeroCounters = 16;

struct CounterArgs {
  const float* x = nullptr;
  std::int64_t count = 0;
  bool is_signed = false;
  float bins_per_unit = 1;
  std::int32_t zero_bin = 0;
  std::int32_t* counters = nullptr;
};

}  // namespace assay::kernels
