// SPDX-License-Identifier: Apache-2.0
// AArch64: the kernel says in the auxiliary vector what processes may execute.
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include <array>
#include <cstdint>
#include <cstdio>

#include "engine/base/cpu_detect.h"

namespace assay {
namespace {

// Where the kernel lets processes read the identification register: who made the CPU, and which one it is.
std::string model_name(unsigned long capabilities) {
  if ((capabilities & HWCAP_CPUID) == 0) {
    return "AArch64";
  }
  std::uint64_t identification = 0;
  asm("mrs %0, MIDR_EL1" : "=r"(identification));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "AArch64, implementer 0x%02x, part 0x%03x",
                static_cast<unsigned>(identification >> 24U & 0xFFU),
                static_cast<unsigned>(identification >> 4U & 0xFFFU));
  return text.data();
}

}  // namespace

CpuFeatures detect_cpu() {
  const unsigned long capabilities = getauxval(AT_HWCAP);
  const unsigned long more_capabilities = getauxval(AT_HWCAP2);
  CpuFeatures features;
  features.neon = (capabilities & HWCAP_ASIMD) != 0;
  features.neon_dot = features.neon && (capabilities & HWCAP_ASIMDDP) != 0;
  features.neon_i8mm = features.neon_dot && (more_capabilities & HWCAP2_I8MM) != 0;
  features.model_name = model_name(capabilities);
  return features;
}

}  // namespace assay
