// SPDX-License-Identifier: Apache-2.0
// Transposes a matrix of bytes: to[j*to_stride + i] = from[i*from_stride + j]. This is how channel-first images become
// the rows of a matrix product and its rows become channel-first images again. The two do not overlap; nothing but
// their elements is read or written.
#pragma once

#include <span>

#include "engine/base/cpu_features.h"
#include "engine/base/dtype.h"
#include "engine/base/profile.h"
#include "engine/kernels/transpose/transpose_args.h"

namespace assay::kernels {

struct TransposeKernel {
  const char* name;  // transpose_bytes_<isa>
  Isa isa;
  void (*run)(const ByteTransposeArgs&);
};
// Every kernel, best first.
std::span<const TransposeKernel> transpose_kernels();

// The best kernel at or below the profile's ISA; where `features` lack that ISA, the best that they allow.
const TransposeKernel& choose_transpose(const Profile& profile, const CpuFeatures& features);

}  // namespace assay::kernels
