// SPDX-License-Identifier: Apache-2.0
#include "engine/base/cpu_features.h"

#include <cstdlib>

#include "engine/base/cpu_detect.h"

namespace assay {
namespace {

const char* override_name() { return std::getenv("ASSAY_HOST_ISA"); }

}  // namespace

const CpuFeatures& host_features() {
  static const CpuFeatures kFeatures = [] {
    const CpuFeatures detected = detect_cpu();
    const char* name = override_name();
    const auto isa = name == nullptr ? std::nullopt : isa_from_name(name);
    return isa.has_value() ? capped(detected, *isa) : detected;
  }();
  return kFeatures;
}

Status host_isa_override_error() {
  const char* name = override_name();
  if (name == nullptr || isa_from_name(name).has_value()) {
    return {};
  }
  return invalid_argument(
      "ASSAY_HOST_ISA=" + std::string(name) +
      " is no ISA level; it is one of scalar, sse41, avx2, avx512, avx_vnni, avx512_vnni, amx_int8, neon, neon_dot, "
      "neon_i8mm");
}

bool can_run(const CpuFeatures& features, Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return true;
    case Isa::kSse41:
      return features.sse41;
    case Isa::kAvx2:
      return features.avx2;
    case Isa::kAvx512:
      return features.avx512;
    case Isa::kAvxVnni:
      return features.avx_vnni;
    case Isa::kAvx512Vnni:
      return features.avx512_vnni;
    case Isa::kAmxInt8:
      return features.amx_int8;
    case Isa::kNeon:
      return features.neon;
    case Isa::kNeonDot:
      return features.neon_dot;
    case Isa::kNeonI8mm:
      return features.neon_i8mm;
  }
  return false;
}

Isa best_isa(const CpuFeatures& features) {
  for (const Isa isa : {Isa::kAmxInt8, Isa::kAvx512Vnni, Isa::kAvxVnni, Isa::kAvx512, Isa::kAvx2, Isa::kSse41,
                        Isa::kNeonI8mm, Isa::kNeonDot, Isa::kNeon}) {
    if (can_run(features, isa)) {
      return isa;
    }
  }
  return Isa::kScalar;
}

CpuFeatures capped(const CpuFeatures& features, Isa isa) {
  CpuFeatures out = features;
  const bool vnni512 = isa == Isa::kAvx512Vnni || isa == Isa::kAmxInt8;
  const bool x86_avx = vnni512 || isa == Isa::kAvx2 || isa == Isa::kAvx512 || isa == Isa::kAvxVnni;
  out.amx_int8 = features.amx_int8 && isa == Isa::kAmxInt8;
  out.avx512_vnni = features.avx512_vnni && vnni512;
  out.avx_vnni = features.avx_vnni && (isa == Isa::kAvxVnni || vnni512);
  out.avx512 = features.avx512 && (isa == Isa::kAvx512 || vnni512);
  out.avx2 = features.avx2 && x86_avx;
  out.sse41 = features.sse41 && (x86_avx || isa == Isa::kSse41);
  out.neon_i8mm = features.neon_i8mm && isa == Isa::kNeonI8mm;
  out.neon_dot = features.neon_dot && (isa == Isa::kNeonDot || isa == Isa::kNeonI8mm);
  out.neon = features.neon && (isa == Isa::kNeon || isa == Isa::kNeonDot || isa == Isa::kNeonI8mm);
  return out;
}

}  // namespace assay
