// SPDX-License-Identifier: Apache-2.0
#include "engine/base/block_pool.h"

#include <malloc.h>
#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "engine/base/arena_memory.h"
#include "engine/base/block_arena.h"

namespace assay {
namespace {

// Smaller blocks go to the allocator, which reuses them well itself. Those from 128 KiB on glibc may map and unmap.
constexpr std::size_t kSmallestPooledBytes = std::size_t{64} << 10U;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20U;
constexpr std::size_t kSmallestHugeBytes = std::size_t{1} << 20U;
// What the pool may hold; beyond this, blocks go back to the system.
constexpr std::size_t kMaxHeldBytes = std::size_t{512} << 20U;

// The address sanitizer must see every block freed to find uses after that.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kPools = false;
#else
constexpr bool kPools = true;
#endif

bool is_pooled(std::size_t size_bytes) {
  return kPools && size_bytes >= kSmallestPooledBytes && size_bytes <= kMaxHeldBytes;
}

// Sizes are rounded up to eighths of a power of two, so that a little larger or smaller tensor finds a block again.
std::size_t size_class(std::size_t size_bytes) {
  const std::size_t step = std::bit_floor(size_bytes) / 8;
  return (size_bytes + step - 1) / step * step;
}

// The largest size that the block serves: the allocator and whole pages often give more than was asked for.
std::size_t served_size(std::byte* block) {
  const std::size_t usable = ::malloc_usable_size(block);
  const std::size_t step = std::bit_floor(usable) / 8;
  return usable / step * step;
}

// A block may serve what has this part of its size; without that, tensors of every size would need blocks of their own.
constexpr std::size_t kLargestWaste = 4;

class Pool {
 public:
  // The smallest that serves; null where there is none.
  std::byte* take(std::size_t block_bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.lower_bound(block_bytes);
    if (found == blocks_.end() || found->first > block_bytes * kLargestWaste) {
      return nullptr;
    }
    std::byte* block = found->second.back();
    held_bytes_ -= found->first;
    found->second.pop_back();
    if (found->second.empty()) {
      blocks_.erase(found);
    }
    return block;
  }

  // False if the pool is full.
  bool keep(std::byte* block, std::size_t block_bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (held_bytes_ + block_bytes > kMaxHeldBytes) {
      return false;
    }
    try {
      blocks_[block_bytes].push_back(block);
    } catch (const std::bad_alloc&) {
      std::erase_if(blocks_, [](const auto& entry) { return entry.second.empty(); });
      return false;
    }
    held_bytes_ += block_bytes;
    return true;
  }

  std::size_t held_bytes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return held_bytes_;
  }

  // Gives everything back to the system.
  void clear() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [block_bytes, blocks] : blocks_) {
      for (std::byte* block : blocks) {
        std::free(block);
      }
    }
    blocks_.clear();
    held_bytes_ = 0;
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<std::byte*>> blocks_;
  std::size_t held_bytes_ = 0;
};

// Never destroyed: tensors of static storage may be given back after any static destructor.
Pool& pool() {
  static Pool* const kPool = new Pool;
  return *kPool;
}

// Large blocks are laid on huge pages where the system has them on request: packed weights and activations of large
// products otherwise spend up to a sixth of their time on address translation.
std::byte* allocate(std::size_t size_bytes) {
  const bool huge = size_bytes >= kSmallestHugeBytes;
  if (huge && size_bytes <= kMaxHeldBytes) {  // whole pages: the system lays none over the end of a block
    size_bytes = (size_bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  }
  // Not aligned_alloc: it may refuse sizes that are no multiple of the alignment.
  void* memory = nullptr;
  if (::posix_memalign(&memory, huge ? kHugePageBytes : kBlockAlignmentBytes, size_bytes) != 0) {
    return nullptr;
  }
  auto* block = static_cast<std::byte*>(memory);
#if defined(MADV_HUGEPAGE)
  if (huge) {
    ::madvise(block, size_bytes, MADV_HUGEPAGE);  // a wish: refusal changes nothing
  }
#endif
  return block;
}

}  // namespace

std::byte* take_pool_block(std::size_t size_bytes) {
  if (!is_pooled(size_bytes)) {
    return allocate(size_bytes);
  }
  const std::size_t block_bytes = size_class(size_bytes);
  if (std::byte* block = pool().take(block_bytes); block != nullptr) {
    return block;
  }
  std::byte* block = allocate(block_bytes);
  if (block == nullptr) {
    pool().clear();
    block = allocate(block_bytes);
  }
  return block;
}

void return_pool_block(std::byte* block, std::size_t size_bytes) {
  if (block != nullptr && (!is_pooled(size_bytes) || !pool().keep(block, served_size(block)))) {
    std::free(block);
  }
}

std::size_t kept_pool_bytes() { return pool().held_bytes(); }

void clear_block_pool() { pool().clear(); }

std::byte* take_block(std::size_t size_bytes) {
  BlockArena* arena = BlockArenaPass::current();
  if (arena == nullptr) {
    return take_pool_block(size_bytes);
  }
  std::byte* block = arena->take(size_bytes);
  if (block == nullptr) {
    block = take_pool_block(size_bytes);
    if (block != nullptr) {
      arena->taken(block);
    }
  }
  return block;
}

void return_block(std::byte* block, std::size_t size_bytes) {
  if (block == nullptr) {
    return;
  }
  if (const std::shared_ptr<ArenaMemory> memory = ArenaMemory::find(block); memory != nullptr) {
    memory->free(block);
    return;
  }
  if (BlockArena* arena = BlockArenaPass::current(); arena != nullptr) {
    arena->given_back(block);
  }
  return_pool_block(block, size_bytes);
}

}  // namespace assay
