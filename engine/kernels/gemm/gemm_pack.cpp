// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/gemm/gemm_pack.h"

#include <algorithm>

namespace assay::kernels {
namespace {

constexpr Index kQuad = 4;
constexpr Index kPair = 2;
constexpr Index kOctet = 8;
constexpr Index kTileColumns = 16;
constexpr Index kTileDepth = 64;
constexpr std::uint32_t kFlip = 128;

Index divide_up(Index value, Index unit) { return (value + unit - 1) / unit; }

const std::uint8_t* element(const PackArgs& args, Index p, Index j) {
  return static_cast<const std::uint8_t*>(args.b) + p * args.k_stride_bytes + j * args.n_stride_bytes;
}

template <ByteSign kSign>
std::int16_t widened(const std::uint8_t* byte) {
  return kSign == ByteSign::kSigned ? static_cast<std::int8_t>(*byte) : *byte;
}

// Calls body(panel, p, column within the panel, byte) for every element; panel by panel and row by row, so that both
// sides are read and written in stretches whichever way B lies.
template <typename Body>
void for_each_by_panel(const PackArgs& args, Index columns, const Body& body) {
  for (Index first = 0; first < args.n; first += columns) {
    const Index count = std::min(columns, args.n - first);
    for (Index p = 0; p < args.k; ++p) {
      const std::uint8_t* row = element(args, p, first);
      for (Index j = 0; j < count; ++j) {
        body(first / columns, p, j, row + j * args.n_stride_bytes);
      }
    }
  }
}

// One whole group of `count` columns whose neighbours are neighbours in memory.
template <Index kGroup>
void pack_neighbours(const std::uint8_t* __restrict from, Index k_stride_bytes, Index count,
                     std::uint8_t* __restrict to) {
  for (Index j = 0; j < count; ++j) {
    for (Index q = 0; q < kGroup; ++q) {
      to[j * kGroup + q] = from[q * k_stride_bytes + j];
    }
  }
}

// Groups of kGroup consecutive k: `groups` of them in every panel.
template <Index kGroup>
void pack_groups(const PackArgs& args, Index columns, Index groups) {
  auto* out = static_cast<std::uint8_t*>(args.packed);
  std::fill_n(out, divide_up(args.n, columns) * columns * groups * kGroup, std::uint8_t{0});
  for (Index first = 0; first < args.n; first += columns) {
    const Index count = std::min(columns, args.n - first);
    for (Index g = 0; g * kGroup < args.k; ++g) {
      const std::uint8_t* from = element(args, g * kGroup, first);
      std::uint8_t* to = out + (first * groups + g * columns) * kGroup;
      const Index depth = std::min(kGroup, args.k - g * kGroup);
      if (depth == kGroup && args.n_stride_bytes == 1) {
        pack_neighbours<kGroup>(from, args.k_stride_bytes, count, to);
        continue;
      }
      for (Index j = 0; j < count; ++j) {
        for (Index q = 0; q < depth; ++q) {
          to[j * kGroup + q] = from[q * args.k_stride_bytes + j * args.n_stride_bytes];
        }
      }
    }
  }
}

}  // namespace

template <Index kColumns>
Index packed_bytes_quads(Index n, Index k) {
  return divide_up(n, kColumns) * kColumns * divide_up(k, kQuad) * kQuad;
}

template <Index kColumns>
void pack_quads(const PackArgs& args) {
  pack_groups<kQuad>(args, kColumns, divide_up(args.k, kQuad));
}

template <Index kColumns>
Index packed_bytes_octets(Index n, Index k) {
  return divide_up(n, kColumns) * kColumns * divide_up(k, kOctet) * kOctet;
}

template <Index kColumns>
void pack_octets(const PackArgs& args) {
  pack_groups<kOctet>(args, kColumns, divide_up(args.k, kOctet));
}

Index packed_bytes_deep_quads(Index n, Index k) {
  return packed_bytes_quads<kTileColumns>(n, divide_up(k, kTileDepth) * kTileDepth);
}

void pack_deep_quads(const PackArgs& args) {
  pack_groups<kQuad>(args, kTileColumns, divide_up(args.k, kTileDepth) * kTileDepth / kQuad);
}

template <Index kColumns>
Index packed_bytes_quads_with_starts(Index n, Index k) {
  const auto size = static_cast<Index>(sizeof(std::int32_t));
  return packed_bytes_quads<kColumns>(n, k) + divide_up(n, kColumns) * kColumns * size;
}

template <Index kColumns, ByteSign kA, ByteSign kB>
void pack_quads_with_starts(const PackArgs& args) {
  pack_quads<kColumns>(args);
  auto* end = static_cast<std::uint8_t*>(args.packed) + packed_bytes_quads<kColumns>(args.n, args.k);
  auto* starts = reinterpret_cast<std::uint32_t*>(end);
  std::fill_n(starts, divide_up(args.n, kColumns) * kColumns, 0U);
  for_each_by_panel(args, kColumns, [&](Index panel, Index, Index j, const std::uint8_t* byte) {
    const auto value = static_cast<std::uint32_t>(std::int32_t{widened<kB>(byte)});
    std::uint32_t& start = starts[panel * kColumns + j];
    start = kA == ByteSign::kSigned ? start - kFlip * value : start + kFlip * value;
  });
}

template <Index kColumns>
Index packed_bytes_pairs(Index n, Index k) {
  return divide_up(n, kColumns) * kColumns * divide_up(k, kPair) * kPair;
}

template <Index kColumns>
void pack_pairs(const PackArgs& args) {
  pack_groups<kPair>(args, kColumns, divide_up(args.k, kPair));
}

Index packed_bytes_columns(Index n, Index k) {
  const Index length = divide_up(k, kColumnUnit) * kColumnUnit;
  return divide_up(n, kColumnBlock) * kColumnBlock * length * static_cast<Index>(sizeof(std::int16_t));
}

template <ByteSign kSign>
void pack_columns(const PackArgs& args) {
  auto* out = static_cast<std::int16_t*>(args.packed);
  const Index length = divide_up(args.k, kColumnUnit) * kColumnUnit;
  std::fill_n(out, divide_up(args.n, kColumnBlock) * kColumnBlock * length, std::int16_t{0});
  for (Index j = 0; j < args.n; ++j) {
    for (Index p = 0; p < args.k; ++p) {
      out[j * length + p] = widened<kSign>(element(args, p, j));
    }
  }
}

Index packed_bytes_split(Index n, Index k) {
  const Index half = divide_up(divide_up(k, kPair), kColumnUnit) * kColumnUnit;
  return divide_up(n, kColumnBlock) * kColumnBlock * half * kPair * static_cast<Index>(sizeof(std::int16_t));
}

void pack_split(const PackArgs& args) {
  auto* out = static_cast<std::int16_t*>(args.packed);
  const Index half = divide_up(divide_up(args.k, kPair), kColumnUnit) * kColumnUnit;
  std::fill_n(out, divide_up(args.n, kColumnBlock) * kColumnBlock * half * kPair, std::int16_t{0});
  for (Index j = 0; j < args.n; ++j) {
    for (Index p = 0; p < args.k; ++p) {
      out[(j * kPair + p % kPair) * half + p / kPair] = widened<ByteSign::kSigned>(element(args, p, j));
    }
  }
}

template Index packed_bytes_quads<8>(Index, Index);
template Index packed_bytes_quads<16>(Index, Index);
template void pack_quads<8>(const PackArgs&);
template void pack_quads<16>(const PackArgs&);
template Index packed_bytes_octets<8>(Index, Index);
template void pack_octets<8>(const PackArgs&);
template Index packed_bytes_quads_with_starts<8>(Index, Index);
template Index packed_bytes_quads_with_starts<16>(Index, Index);
template void pack_quads_with_starts<8, ByteSign::kSigned, ByteSign::kSigned>(const PackArgs&);
template void pack_quads_with_starts<8, ByteSign::kSigned, ByteSign::kUnsigned>(const PackArgs&);
template void pack_quads_with_starts<8, ByteSign::kUnsigned, ByteSign::kSigned>(const PackArgs&);
template void pack_quads_with_starts<8, ByteSign::kUnsigned, ByteSign::kUnsigned>(const PackArgs&);
template void pack_quads_with_starts<16, ByteSign::kSigned, ByteSign::kSigned>(const PackArgs&);
template void pack_quads_with_starts<16, ByteSign::kUnsigned, ByteSign::kUnsigned>(const PackArgs&);
template Index packed_bytes_pairs<8>(Index, Index);
template Index packed_bytes_pairs<16>(Index, Index);
template void pack_pairs<8>(const PackArgs&);
template void pack_pairs<16>(const PackArgs&);
template void pack_columns<ByteSign::kSigned>(const PackArgs&);
template void pack_columns<ByteSign::kUnsigned>(const PackArgs&);

}  // namespace assay::kernels
