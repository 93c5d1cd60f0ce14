// SPDX-License-Identifier: Apache-2.0
// The arguments of integer matrix products; gemm.h has the contract. Plain structs and no other header of the project,
// because files compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

// Where A's bytes lie if it is no plain matrix: the taps of a convolution over a channel-last image.
//   row i begins at a + i / rows * stride_bytes + i % rows * a_stride_bytes
//   its k bytes are `segments` equal stretches, segment_stride_bytes apart
struct GemmLines {
  std::int64_t rows = 0;  // 0: one line
  std::int64_t stride_bytes = 0;
  std::int64_t segments = 1;  // if more: a segment is a multiple of 4 bytes
  std::int64_t segment_stride_bytes = 0;
};

struct GemmArgs {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  const void* a = nullptr;
  std::int64_t a_stride_bytes = 0;  // at least k, but in lines rows may overlap
  const void* packed_b = nullptr;
  std::int32_t* c = nullptr;
  std::int64_t c_stride = 0;                   // at least n
  const std::int32_t* column_start = nullptr;  // [n] what the sums of a column start at; null: 0
  GemmLines lines = {};                        // other than one plain matrix: only where the kernel reads lines
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

// Rows of A, in tiles below one another, against a few panels of packed B over one stretch of k: what an ISA file
// computes.
//   c[i,j] = (add ? c[i,j] : start[j]) + dot(a[i,:], b[:,j])                    (wrapping int32)
// A group is what one dot-product step takes of k: 2, 4 or 8 bytes of A, or 2 int16 where A has been widened.
struct GemmTile {
  int rows = 0;  // of one tile
  int panels = 0;
  std::int64_t tiles = 1;
  const void* a = nullptr;
  std::int64_t a_stride_bytes = 0;
  std::int64_t segments = 1;  // of A's rows
  std::int64_t segment_stride_bytes = 0;
  const void* b = nullptr;
  std::int64_t panel_bytes = 0;  // from one panel to the next
  std::int64_t groups = 0;       // whole groups of a segment
  // 0, or 8 * (g - r) where r bytes of A follow the whole groups of g bytes. The g bytes that end there are in the row.
  int rest_shift = 0;
  bool add = false;
  const std::int32_t* start = nullptr;  // for every column of the panels; null: 0
  std::int32_t* c = nullptr;
  std::int64_t c_stride = 0;
  int last_columns = 0;  // columns of the last panel that C has
};

// Stretches of A's rows in the form that a tile wants: `rows` of them, `count` elements each.
struct GemmFormArgs {
  const void* from = nullptr;
  std::int64_t from_stride_bytes = 0;
  std::int64_t rows = 0;
  std::int64_t count = 0;
  std::int64_t padded = 0;  // count rounded up to whole groups, of up to 4 bytes; filled up with zeros
  void* to = nullptr;
  std::int64_t to_stride_bytes = 0;
};

}  // namespace assay::kernels
