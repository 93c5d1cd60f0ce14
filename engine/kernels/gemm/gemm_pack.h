// SPDX-License-Identifier: Apache-2.0
// Layouts of a packed B. Columns are cut into panels of kColumns, each contiguous over the whole of k; what is beyond n
// or k is zero, which is neutral in every arithmetic.
//
//   quads: groups of 4 consecutive k: panel, group, column, 4 bytes            (vpmaddubsw, vpdpbusd, sdot)
//   octets: groups of 8 consecutive k: panel, group, column, 8 bytes           (smmla)
//   deep quads: quads with k rounded up to 64                                   (AMX tiles)
//   quads with starts: quads, then an int32 for every column of every panel, what its sums start at
//       (GemmTiling's kFlipped: the flipped A is a - 128 for u8 and a + 128 for s8, so dot(a, b) is the flipped
//       product plus 128 * column sum for u8 A and minus it for s8 A, wrapping)
//   pairs: groups of 2 consecutive k: panel, group, column, 2 bytes            (widened when read, vpmaddwd, smlal)
//   int16 columns: column, k rounded up to kColumnUnit, int16                  (portable, exact)
//   int16 split: column, all even k then all odd k, each half rounded up       (portable, sat16-pairs)
//
// Panels of the int16 column layouts are kColumnBlock columns, so that a kernel may compute that many at once.
#pragma once

#include "engine/base/dtype.h"
#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {

inline constexpr Index kColumnUnit = 8;   // int16 elements
inline constexpr Index kColumnBlock = 4;  // columns

// How the bytes of B read as integers.
enum class ByteSign { kSigned, kUnsigned };

template <Index kColumns>
Index packed_bytes_quads(Index n, Index k);
template <Index kColumns>
void pack_quads(const PackArgs& args);

template <Index kColumns>
Index packed_bytes_octets(Index n, Index k);
template <Index kColumns>
void pack_octets(const PackArgs& args);

Index packed_bytes_deep_quads(Index n, Index k);
void pack_deep_quads(const PackArgs& args);

// kA: the sign of A before it is flipped.
template <Index kColumns>
Index packed_bytes_quads_with_starts(Index n, Index k);
template <Index kColumns, ByteSign kA, ByteSign kB>
void pack_quads_with_starts(const PackArgs& args);

template <Index kColumns>
Index packed_bytes_pairs(Index n, Index k);
template <Index kColumns>
void pack_pairs(const PackArgs& args);

Index packed_bytes_columns(Index n, Index k);
template <ByteSign kSign>
void pack_columns(const PackArgs& args);

Index packed_bytes_split(Index n, Index k);
void pack_split(const PackArgs& args);  // signed

}  // namespace assay::kernels
