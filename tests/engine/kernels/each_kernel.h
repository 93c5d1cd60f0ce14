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

// For a table with rows FAMILY_avx512, FAMILY_avx2 and FAMILY_scalar.
template <typename Choose>
void expect_choices(const std::string& family, const Choose& choose) {
#if defined(__x86_64__)
  CpuFeatures full;
  full.sse41 = full.avx2 = full.avx512 = full.avx_vnni = full.avx512_vnni = full.amx_int8 = true;
  const auto name = [&](Isa isa, const CpuFeatures& features) {
    return std::string(choose(Profile{isa, Precision::kFast}, features).kernel->name).substr(family.size() + 1);
  };
  EXPECT_EQ(name(Isa::kScalar, full), "scalar");
  EXPECT_EQ(name(Isa::kSse41, full), "scalar");
  EXPECT_EQ(name(Isa::kAvx2, full), "avx2");
  EXPECT_EQ(name(Isa::kAvx512, full), "avx512");
  EXPECT_EQ(name(Isa::kAvxVnni, full), "avx2");
  EXPECT_EQ(name(Isa::kAvx512Vnni, full), "avx512");
  EXPECT_EQ(name(Isa::kAmxInt8, full), "avx512");
  for (const Isa isa : all_isas()) {
    EXPECT_TRUE(choose(Profile{isa, Precision::kExact}, full).native) << isa_name(isa);
    EXPECT_EQ(choose(Profile{isa, Precision::kFast}, CpuFeatures{}).native, isa == Isa::kScalar) << isa_name(isa);
    EXPECT_EQ(name(isa, CpuFeatures{}), "scalar") << isa_name(isa);
  }
  EXPECT_EQ(name(Isa::kAvx512Vnni, capped(full, Isa::kAvx2)), "avx2");
#endif
}

}  // namespace assay::test
