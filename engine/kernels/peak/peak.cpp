// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/peak/peak.h"

namespace assay::kernels {

#if ASSAY_HAVE_X86
void peak_tdpbusd_tile(const PeakArgs& args);
void peak_vpdpbusd_zmm(const PeakArgs& args);
void peak_vpdpbusd_ymm(const PeakArgs& args);
void peak_vpmaddubsw_zmm(const PeakArgs& args);
void peak_vpmaddwd_zmm(const PeakArgs& args);
void peak_vpmaddubsw_ymm(const PeakArgs& args);
void peak_vpmaddwd_ymm(const PeakArgs& args);
void peak_pmaddwd_xmm(const PeakArgs& args);
#endif
#if ASSAY_HAVE_AARCH64
void peak_usmmla_q(const PeakArgs& args);
void peak_sdot_q(const PeakArgs& args);
void peak_smlal_q(const PeakArgs& args);
#endif

namespace {

constexpr auto kExact = Arithmetic::kExact;
constexpr auto kSat = Arithmetic::kSat16Pairs;

constexpr PeakKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"peak_tdpbusd_tile", Isa::kAmxInt8, kExact, 64, 256, 6, peak_tdpbusd_tile},
    {"peak_vpdpbusd_zmm", Isa::kAvx512Vnni, kExact, 4, 16, 24, peak_vpdpbusd_zmm},
    {"peak_vpdpbusd_ymm", Isa::kAvxVnni, kExact, 4, 8, 12, peak_vpdpbusd_ymm},
    {"peak_vpmaddubsw_zmm", Isa::kAvx512, kSat, 4, 16, 12, peak_vpmaddubsw_zmm},
    {"peak_vpmaddwd_zmm", Isa::kAvx512, kExact, 2, 16, 12, peak_vpmaddwd_zmm},
    {"peak_vpmaddubsw_ymm", Isa::kAvx2, kSat, 4, 8, 6, peak_vpmaddubsw_ymm},
    {"peak_vpmaddwd_ymm", Isa::kAvx2, kExact, 2, 8, 6, peak_vpmaddwd_ymm},
    {"peak_pmaddwd_xmm", Isa::kScalar, kExact, 2, 4, 6, peak_pmaddwd_xmm},  // every x86-64 has it
#endif
#if ASSAY_HAVE_AARCH64
    {"peak_usmmla_q", Isa::kNeonI8mm, kExact, 8, 4, 24, peak_usmmla_q},
    {"peak_sdot_q", Isa::kNeonDot, kExact, 4, 4, 24, peak_sdot_q},
    {"peak_smlal_q", Isa::kNeon, kExact, 1, 4, 24, peak_smlal_q},
#endif
};

}  // namespace

std::span<const PeakKernel> peak_kernels() { return kKernels; }

const PeakKernel* find_peak(Isa isa, Arithmetic arithmetic) {
  for (const PeakKernel& kernel : kKernels) {
    if (kernel.isa == isa && kernel.arithmetic == arithmetic) {
      return &kernel;
    }
  }
  return nullptr;
}

}  // namespace assay::kernels
