// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shared_buffer.h"

#include <limits>
#include <new>

namespace assay {

Result<SharedBuffer> SharedBuffer::make(std::size_t size_bytes, Result<AlignedBuffer> (*allocate_memory)(std::size_t)) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();  // which is refused
  ASSAY_ASSIGN(AlignedBuffer memory,
               allocate_memory(size_bytes > kMost - kAlignmentBytes ? kMost : size_bytes + kAlignmentBytes));
  SharedBuffer out;
  out.head_ = new (memory.data()) Head;
  out.head_->memory = std::move(memory);
  return out;
}

Result<SharedBuffer> SharedBuffer::allocate(std::size_t size_bytes) {
  return make(size_bytes, AlignedBuffer::allocate);
}

Result<SharedBuffer> SharedBuffer::allocate_uninitialized(std::size_t size_bytes) {
  return make(size_bytes, AlignedBuffer::allocate_uninitialized);
}

void SharedBuffer::free() {
  const AlignedBuffer memory = std::move(head_->memory);
  head_->~Head();
}

}  // namespace assay
