// SPDX-License-Identifier: Apache-2.0
// A block of bytes as AlignedBuffer has it, which its copies share. The number of copies lies in front of the bytes, so
// that all of it is one block.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "engine/base/aligned_buffer.h"

namespace assay {

class SharedBuffer {
 public:
  SharedBuffer() = default;
  // As AlignedBuffer's.
  static Result<SharedBuffer> allocate(std::size_t size_bytes);
  static Result<SharedBuffer> allocate_uninitialized(std::size_t size_bytes);

  SharedBuffer(const SharedBuffer& other) : head_(other.head_) {
    if (head_ != nullptr) {
      head_->copies.fetch_add(1, std::memory_order_relaxed);
    }
  }
  SharedBuffer(SharedBuffer&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
  SharedBuffer& operator=(SharedBuffer other) noexcept {
    std::swap(head_, other.head_);
    return *this;
  }
  ~SharedBuffer() {
    if (head_ != nullptr && head_->copies.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      free();
    }
  }

  // Null where nothing was allocated.
  std::byte* data() const { return head_ == nullptr ? nullptr : head_->memory.data() + kAlignmentBytes; }

 private:
  struct Head {
    std::atomic<std::size_t> copies = 1;
    AlignedBuffer memory;  // the block in which this lies
  };
  static_assert(sizeof(Head) <= kAlignmentBytes);

  static Result<SharedBuffer> make(std::size_t size_bytes, Result<AlignedBuffer> (*allocate_memory)(std::size_t));
  void free();

  Head* head_ = nullptr;
};

}  // namespace assay
