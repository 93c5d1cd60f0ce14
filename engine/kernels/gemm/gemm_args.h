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

// A few rows of A against a few panels of packed B over one stretch of k: what an ISA file computes.
//   c[i,j] = start[i,j] + dot(a[i,:], b[:,j])
// A group is what one dot-product step takes of k: 4 or 8 bytes of A, or 2 int16 where A has been widened.
struct GemmTile {
  int rows = 0;
  int panels = 0;
  const void* a = nullptr;
  std::int64_t a_stride_bytes = 0;
  const void* b = nullptr;
  std::int64_t panel_bytes = 0;  // from one panel to the next
  std::int64_t groups = 0;       // whole groups
  // 0, or 8 * (g - r) where r bytes of A follow the whole groups of g bytes. The g bytes that end there are in the row.
  int rest_shift = 0;
  const std::int32_t* start = nullptr;  // may be c itself
  std::int64_t start_stride = 0;        // 0: the same for every row
  std::int32_t* c = nullptr;
  std::int64_t c_stride = 0;
  int last_columns = 0;  // columns of the last panel that C has
};

}  // namespace assay::kernels
