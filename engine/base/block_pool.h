// SPDX-License-Identifier: Apache-2.0
// Large memory blocks, kept for reuse when given back: the system would otherwise map and clear their pages anew for
// every tensor, which costs as much as computing on them.
#pragma once

#include <cstddef>

namespace assay {

inline constexpr std::size_t kBlockAlignmentBytes = 64;

// At least `size_bytes` (a multiple of the alignment) of uninitialized memory, or null if the system refuses it. During
// a BlockArenaPass of this thread the block comes from its arena where it has a place for it.
std::byte* take_block(std::size_t size_bytes);

// Gives back a block of take_block with the size that was asked for. Thread-safe, as take_block is.
void return_block(std::byte* block, std::size_t size_bytes);

// The same, of the pool whatever pass there is.
std::byte* take_pool_block(std::size_t size_bytes);
void return_pool_block(std::byte* block, std::size_t size_bytes);

// What the pool keeps for reuse.
std::size_t kept_pool_bytes();

// Gives what the pool keeps back to the system.
void clear_block_pool();

}  // namespace assay
