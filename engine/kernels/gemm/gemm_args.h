// SPDX-License-Identifier: Apache-2.0
// The arguments of integer matrix products; gemm.h has the contract. Plain structs and no other header of the project,
// because files compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct GemmArgs {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  const void* a = nullptr;
  std::int64_t a_stride_bytes = 0;  // at least k
  const void* packed_b = nullptr;
  std::int32_t* c = nullptr;
  std::int64_t c_stride = 0;  // at least n
};

// B as the caller has it: element (p, j) at b + p*k_stride + j*n_stride bytes.
struct PackArgs {
  std::int64_t n = 0;
  std::int64_t k = 0;
  const void* b = nullptr;
  std::int64_t k_stride_bytes = 0;
  std::int64_t n_stride_bytes = 0;
  void* packed = nullptr;  // packed_bytes(n, k), aligned to 64
};

}  // namespace assay::kernels
