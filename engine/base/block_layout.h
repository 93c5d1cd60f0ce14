// SPDX-License-Identifier: Apache-2.0
// Places for blocks whose lives are known, in one piece of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay {

// A block of `size_bytes` (a multiple of the alignment) taken at `begin` and given back at `end`, in steps of one
// clock.
struct BlockLife {
  std::size_t size_bytes = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct BlockLayout {
  std::vector<std::size_t> offsets;  // of each block, in bytes
  std::size_t size_bytes = 0;        // of the whole
};

// No two blocks that live at once overlap. The largest first, each at the lowest free offset (greedy by size).
BlockLayout lay_out(std::span<const BlockLife> lives);

// The most bytes that live at once: what no layout can be below.
std::size_t peak_bytes(std::span<const BlockLife> lives);

}  // namespace assay
