// SPDX-License-Identifier: Apache-2.0
// What this CPU and operating system can execute.
#pragma once

#include <string>

#include "engine/base/profile.h"

namespace assay {

struct CpuFeatures {
  bool sse41 = false;
  bool avx2 = false;         // with FMA
  bool avx512 = false;       // F, BW, DQ, VL
  bool avx_vnni = false;     // VEX-encoded vpdpbusd
  bool avx512_vnni = false;  // EVEX-encoded vpdpbusd
  bool amx_int8 = false;     // with AVX512-VNNI, and the system lets this process use the tiles
  bool neon = false;         // AArch64 Advanced SIMD
  bool neon_dot = false;     // sdot and udot (FEAT_DotProd)
  bool neon_i8mm = false;    // smmla, ummla and usmmla (FEAT_I8MM), with FEAT_DotProd
  std::string model_name;    // brand string, or the identification register's fields
};

// Detected once, which also asks the system to let this process use AMX tiles. The environment variable ASSAY_HOST_ISA
// (an ISA name) hides everything above that level, so that emulation can be exercised on any machine; an unknown name
// hides nothing and is reported by host_isa_override_error().
const CpuFeatures& host_features();
Status host_isa_override_error();

// Whether instructions of `isa` run on a CPU with `features`.
bool can_run(const CpuFeatures& features, Isa isa);

// The best level of `features`: what runtime.isa=auto means.
Isa best_isa(const CpuFeatures& features);

// `features` with everything above `isa` hidden (avx_vnni keeps avx2 but not avx512). The levels of another
// architecture are above `scalar` and below nothing: neon hides all of avx2.
CpuFeatures capped(const CpuFeatures& features, Isa isa);

}  // namespace assay
