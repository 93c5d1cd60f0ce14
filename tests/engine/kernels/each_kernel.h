// SPDX-License-Identifier: Apache-2.0
// The rows of a kernel table that this host can run, and the choice that tables with one row per ISA share.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "engine/kernels/choose_kernel.h"

namespace assay::test {

template <typename Kernel>
std::vector<const Kernel*> runnable(std::span<const Kernel> kernels) {
  std::vector<const Kernel*> out;
  for (const Kernel& kernel : kernels) {
    if (can_run(host_features(), kernel.isa)) {
      out.push_back(&kernel);
    }
  }
  return out;
}

// A host that has every level of the architecture that is built for.
inline CpuFeatures full_host() {
  CpuFeatures out;
#if defined(__x86_64__)
  out.sse41 = out.avx2 = out.avx512 = out.avx_vnni = out.avx512_vnni = out.amx_int8 = true;
#elif defined(__aarch64__)
  out.neon = out.neon_dot = out.neon_i8mm = true;
#endif
  return out;
}

// For a table with rows FAMILY_avx512 and FAMILY_avx2, or FAMILY_neon, and FAMILY_scalar.
template <typename Choose>
void expect_choices(const std::string& family, const Choose& choose) {
  const CpuFeatures full = full_host();
  const auto name = [&](Isa isa, const CpuFeatures& features) {
    return std::string(choose(Profile{isa, Precision::kFast}, features).kernel->name).substr(family.size() + 1);
  };
  EXPECT_EQ(name(Isa::kScalar, full), "scalar");
#if defined(__x86_64__)
  EXPECT_EQ(name(Isa::kSse41, full), "scalar");
  EXPECT_EQ(name(Isa::kAvx2, full), "avx2");
  EXPECT_EQ(name(Isa::kAvx512, full), "avx512");
  EXPECT_EQ(name(Isa::kAvxVnni, full), "avx2");
  EXPECT_EQ(name(Isa::kAvx512Vnni, full), "avx512");
  EXPECT_EQ(name(Isa::kAmxInt8, full), "avx512");
  EXPECT_EQ(name(Isa::kAvx512Vnni, capped(full, Isa::kAvx2)), "avx2");
  EXPECT_EQ(name(Isa::kNeonDot, full), "avx512");  // emulated
#elif defined(__aarch64__)
  EXPECT_EQ(name(Isa::kNeon, full), "neon");
  EXPECT_EQ(name(Isa::kNeonDot, full), "neon");
  EXPECT_EQ(name(Isa::kNeonI8mm, full), "neon");
  EXPECT_EQ(name(Isa::kNeonI8mm, capped(full, Isa::kNeon)), "neon");
  EXPECT_EQ(name(Isa::kAvx2, full), "neon");  // emulated
#endif
  for (const Isa isa : all_isas()) {
    EXPECT_EQ(choose(Profile{isa, Precision::kExact}, full).native, can_run(full, isa)) << isa_name(isa);
    EXPECT_EQ(choose(Profile{isa, Precision::kFast}, CpuFeatures{}).native, isa == Isa::kScalar) << isa_name(isa);
    EXPECT_EQ(name(isa, CpuFeatures{}), "scalar") << isa_name(isa);
  }
}

}  // namespace assay::test
