// SPDX-License-Identifier: Apache-2.0
// The argument of a peak kernel; peak.h has the contract. Plain structs and no other header of the project, because
// files compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct PeakArgs {
  std::int64_t steps = 0;
  std::uint8_t a = 0;           // every lane of the first operand (bytes, or int16 where the mix takes int16)
  std::int8_t b = 0;            // every lane of the second
  std::int32_t* sum = nullptr;  // one lane's accumulators of every chain, added (wrapping); keeps the work alive
};

}  // namespace assay::kernels
