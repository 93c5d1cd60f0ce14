// SPDX-License-Identifier: Apache-2.0
#include "engine/base/cpu_features.h"

#include <cpuinfo.h>

#include <cstdlib>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace assay {
namespace {

#if defined(__x86_64__)
// Leaf 7: AMX-INT8 in EDX[25] of subleaf 0, AVX-VNNI in EAX[4] of subleaf 1.
constexpr unsigned kAmxInt8Bit = 1U << 25U;
constexpr unsigned kAvxVnniBit = 1U << 4U;

// arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA): Linux keeps room for the tiles only where a process asks for it.
constexpr long kRequestStatePermission = 0x1023;
constexpr long kTileData = 18;

bool tiles_permitted() { return syscall(SYS_arch_prctl, kRequestStatePermission, kTileData) == 0; }

void detect_leaf7(CpuFeatures& features) {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) {
    return;
  }
  features.amx_int8 = features.avx512_vnni && (edx & kAmxInt8Bit) != 0 && tiles_permitted();
  if (__get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) {
    features.avx_vnni = features.avx2 && (eax & kAvxVnniBit) != 0;
  }
}
#endif

CpuFeatures detect() {
  CpuFeatures features;
  if (!cpuinfo_initialize()) {
    features.model_name = "unknown (cpuinfo does not know this machine)";
    return features;
  }
  features.sse41 = cpuinfo_has_x86_sse4_1();
  features.avx2 = cpuinfo_has_x86_avx2() && cpuinfo_has_x86_fma3();
  features.avx512 = features.avx2 && cpuinfo_has_x86_avx512f() && cpuinfo_has_x86_avx512bw() &&
                    cpuinfo_has_x86_avx512dq() && cpuinfo_has_x86_avx512vl();
  features.avx512_vnni = features.avx512 && cpuinfo_has_x86_avx512vnni();
#if defined(__x86_64__)
  detect_leaf7(features);
#endif
  if (const cpuinfo_package* package = cpuinfo_get_package(0); package != nullptr) {
    features.model_name = package->name;
  }
  return features;
}

const char* override_name() { return std::getenv("ASSAY_HOST_ISA"); }

}  // namespace

const CpuFeatures& host_features() {
  static const CpuFeatures kFeatures = [] {
    const CpuFeatures detected = detect();
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
      " is no ISA level; it is one of scalar, sse41, avx2, avx512, avx_vnni, avx512_vnni, amx_int8");
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
  }
  return false;
}

Isa best_isa(const CpuFeatures& features) {
  for (const Isa isa : {Isa::kAmxInt8, Isa::kAvx512Vnni, Isa::kAvxVnni, Isa::kAvx512, Isa::kAvx2, Isa::kSse41}) {
    if (can_run(features, isa)) {
      return isa;
    }
  }
  return Isa::kScalar;
}

CpuFeatures capped(const CpuFeatures& features, Isa isa) {
  CpuFeatures out = features;
  const bool vnni512 = isa == Isa::kAvx512Vnni || isa == Isa::kAmxInt8;
  out.amx_int8 = features.amx_int8 && isa == Isa::kAmxInt8;
  out.avx512_vnni = features.avx512_vnni && vnni512;
  out.avx_vnni = features.avx_vnni && (isa == Isa::kAvxVnni || vnni512);
  out.avx512 = features.avx512 && (isa == Isa::kAvx512 || vnni512);
  out.avx2 = features.avx2 && isa != Isa::kScalar && isa != Isa::kSse41;
  out.sse41 = features.sse41 && isa != Isa::kScalar;
  return out;
}

}  // namespace assay
