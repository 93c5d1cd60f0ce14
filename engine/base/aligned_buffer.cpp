// SPDX-License-Identifier: Apache-2.0
#include "engine/base/aligned_buffer.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace assay {

void AlignedBuffer::Free::operator()(std::byte* pointer) const { std::free(pointer); }

Result<AlignedBuffer> AlignedBuffer::allocate(std::size_t size_bytes) {
  // aligned_alloc wants a multiple of the alignment; an empty buffer still gets an address.
  const std::size_t rounded = (size_bytes / kAlignmentBytes + 1) * kAlignmentBytes;
  if (rounded < size_bytes) {
    return resource_error("a buffer of " + std::to_string(size_bytes) + " bytes exceeds the address space");
  }
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignmentBytes, rounded));
  if (memory == nullptr) {
    return resource_error("out of memory: " + std::to_string(size_bytes) + " bytes were refused");
  }
  std::memset(memory, 0, rounded);
  AlignedBuffer buffer;
  buffer.data_.reset(memory);
  buffer.size_bytes_ = size_bytes;
  return buffer;
}

}  // namespace assay
