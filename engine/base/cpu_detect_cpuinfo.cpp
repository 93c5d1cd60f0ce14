// SPDX-License-Identifier: Apache-2.0
// x86-64, and any processor without detection of its own. cpuinfo knows most bits; AVX-VNNI and AMX are read with CPUID
// here, since Debian's cpuinfo has no predicate for them.
#include <cpuinfo.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "engine/base/cpu_detect.h"

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

}  // namespace

CpuFeatures detect_cpu() {
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

}  // namespace assay
