// SPDX-License-Identifier: Apache-2.0
// Portable.
#include <array>
#include <cstddef>
#include <cstring>

#include "engine/base/dtype.h"
#include "engine/kernels/im2col/im2col_args.h"

namespace assay::kernels {
namespace {

// StretchArgs of kChunk to 2 * kChunk bytes: the first and the last kChunk, which may overlap.
template <std::size_t kChunk>
void copy_two_chunks(const StretchArgs& s) {
  using Chunk = std::array<std::uint8_t, kChunk>;
  const std::uint8_t* from = s.from;
  std::uint8_t* to = s.to;
  const Index last = s.bytes - static_cast<Index>(kChunk);
  for (Index i = 0; i < s.count; ++i) {
    Chunk head;
    Chunk tail;
    std::memcpy(&head, from, kChunk);
    std::memcpy(&tail, from + last, kChunk);
    std::memcpy(to, &head, kChunk);
    std::memcpy(to + last, &tail, kChunk);
    from += s.from_step;
    to += s.to_step;
  }
}

void copy_by_byte(const StretchArgs& s) {
  for (Index i = 0; i < s.count; ++i) {
    for (Index b = 0; b < s.bytes; ++b) {
      s.to[i * s.to_step + b] = s.from[i * s.from_step + b];
    }
  }
}

}  // namespace

// Most are short: without a call for each.
void im2col_scalar(const StretchArgs& s) {
  if (s.bytes > 64) {
    for (Index i = 0; i < s.count; ++i) {
      std::memcpy(s.to + i * s.to_step, s.from + i * s.from_step, static_cast<std::size_t>(s.bytes));
    }
  } else if (s.bytes >= 32) {
    copy_two_chunks<32>(s);
  } else if (s.bytes >= 16) {
    copy_two_chunks<16>(s);
  } else if (s.bytes >= 8) {
    copy_two_chunks<8>(s);
  } else if (s.bytes >= 4) {
    copy_two_chunks<4>(s);
  } else {
    copy_by_byte(s);
  }
}

}  // namespace assay::kernels
