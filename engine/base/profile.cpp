// SPDX-License-Identifier: Apache-2.0
#include "engine/base/profile.h"

#include <array>

namespace assay {
namespace {

struct IsaRow {
  Isa isa;
  std::string_view name;
  bool fast_saturates;  // u8 x s8 goes through vpmaddubsw in `fast`
};

constexpr std::array<IsaRow, 10> kIsaRows = {{
    {Isa::kScalar, "scalar", false},
    {Isa::kSse41, "sse41", false},
    {Isa::kAvx2, "avx2", true},
    {Isa::kAvx512, "avx512", true},
    {Isa::kAvxVnni, "avx_vnni", false},
    {Isa::kAvx512Vnni, "avx512_vnni", false},
    {Isa::kAmxInt8, "amx_int8", false},
    {Isa::kNeon, "neon", false},
    {Isa::kNeonDot, "neon_dot", false},
    {Isa::kNeonI8mm, "neon_i8mm", false},
}};

constexpr std::array<Isa, 10> kIsas = {Isa::kScalar,     Isa::kSse41,   Isa::kAvx2, Isa::kAvx512,  Isa::kAvxVnni,
                                       Isa::kAvx512Vnni, Isa::kAmxInt8, Isa::kNeon, Isa::kNeonDot, Isa::kNeonI8mm};

const IsaRow& row_of(Isa isa) { return kIsaRows[static_cast<std::size_t>(isa)]; }

}  // namespace

std::span<const Isa> all_isas() { return kIsas; }

std::string_view isa_name(Isa isa) { return row_of(isa).name; }

std::string_view precision_name(Precision precision) { return precision == Precision::kFast ? "fast" : "exact"; }

std::string_view arithmetic_name(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kExact ? "exact" : "sat16-pairs";
}

std::optional<Isa> isa_from_name(std::string_view name) {
  for (const IsaRow& row : kIsaRows) {
    if (row.name == name) {
      return row.isa;
    }
  }
  return std::nullopt;
}

std::optional<Precision> precision_from_name(std::string_view name) {
  if (name == "fast") {
    return Precision::kFast;
  }
  if (name == "exact") {
    return Precision::kExact;
  }
  return std::nullopt;
}

Arithmetic u8s8_arithmetic(const Profile& profile) {
  const bool saturates = profile.precision == Precision::kFast && row_of(profile.isa).fast_saturates;
  return saturates ? Arithmetic::kSat16Pairs : Arithmetic::kExact;
}

bool uses_fma(Isa isa) { return isa != Isa::kSse41; }

}  // namespace assay
