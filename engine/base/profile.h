// SPDX-License-Identifier: Apache-2.0
// Arithmetic profiles: an ISA level and the dot-product arithmetic that goes with it. The arithmetic decides the
// integers, the ISA decides the speed; docs/arithmetic.md has the rules and the evidence.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/base/result.h"

namespace assay {

// First what every CPU has, then the levels of x86-64, then those of AArch64.
enum class Isa { kScalar, kSse41, kAvx2, kAvx512, kAvxVnni, kAvx512Vnni, kAmxInt8, kNeon, kNeonDot, kNeonI8mm };

enum class Precision { kFast, kExact };

// exact:       int32 sum of all products (wraps in int32).
// sat16-pairs: u8 x s8 products of contraction indices (0,1), (2,3), ... are added in int16 with saturation
//              (vpmaddubsw), the pair sums then add in int32; an odd last index stands alone.
enum class Arithmetic { kExact, kSat16Pairs };

struct Profile {
  Isa isa = Isa::kScalar;
  Precision precision = Precision::kFast;
};

// All ISA levels, those of an architecture weakest first.
std::span<const Isa> all_isas();
std::string_view isa_name(Isa isa);
std::string_view precision_name(Precision precision);
std::string_view arithmetic_name(Arithmetic arithmetic);
std::optional<Isa> isa_from_name(std::string_view name);
std::optional<Precision> precision_from_name(std::string_view name);

// The arithmetic of a u8 x s8 dot product under this profile: sat16-pairs for avx2 and avx512 in `fast`, else exact.
Arithmetic u8s8_arithmetic(const Profile& profile);

// QLinearAdd uses fused multiply-add at every level but sse41 (measured; docs/arithmetic.md).
bool uses_fma(Isa isa);

}  // namespace assay
