// SPDX-License-Identifier: Apache-2.0
// A list that one run needs and no longer: its memory is a block (block_pool.h), so that of a run that repeats it has a
// place in the run's arena like the tensors. What is kept between runs is a std::vector, whose memory stays.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "engine/base/block_pool.h"

namespace assay {

template <typename T>
class BlockAllocator {
 public:
  using value_type = T;

  BlockAllocator() = default;
  template <typename Other>
  BlockAllocator(const BlockAllocator<Other>& /*other*/) {}  // NOLINT(google-explicit-constructor): rebinding

  T* allocate(std::size_t count) {
    std::byte* block = take_block(block_bytes(count));
    if (block == nullptr) {
      throw std::bad_alloc();
    }
    return reinterpret_cast<T*>(block);
  }
  void deallocate(T* elements, std::size_t count) {
    return_block(reinterpret_cast<std::byte*>(elements), block_bytes(count));
  }
  friend bool operator==(const BlockAllocator&, const BlockAllocator&) { return true; }

 private:
  static std::size_t block_bytes(std::size_t count) {
    if (count > (static_cast<std::size_t>(-1) - kBlockAlignmentBytes) / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    return (count * sizeof(T) + kBlockAlignmentBytes - 1) / kBlockAlignmentBytes * kBlockAlignmentBytes;
  }
};

template <typename T>
using BlockVector = std::vector<T, BlockAllocator<T>>;

}  // namespace assay
