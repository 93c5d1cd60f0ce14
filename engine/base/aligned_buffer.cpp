// SPDX-License-Identifier: Apache-2.0
#include "engine/base/aligned_buffer.h"

#include <cstring>
#include <string>

#include "engine/base/block_pool.h"

namespace assay {
namespace {

// A multiple of the alignment; at least one alignment of room lies behind the last byte, and an empty buffer still gets
// an address.
std::size_t rounded_size(std::size_t size_bytes) { return (size_bytes / kAlignmentBytes + 2) * kAlignmentBytes; }

}  // namespace

void BlockReturn::operator()(std::byte* block) const { return_block(block, block_bytes); }

Result<AlignedBuffer> AlignedBuffer::allocate_uninitialized(std::size_t size_bytes) {
  const std::size_t rounded = rounded_size(size_bytes);
  if (rounded < size_bytes) {
    return resource_error("a buffer of " + std::to_string(size_bytes) + " bytes exceeds the address space");
  }
  std::byte* memory = take_block(rounded);
  if (memory == nullptr) {
    return resource_error("out of memory: " + std::to_string(size_bytes) + " bytes were refused");
  }
  AlignedBuffer buffer;
  buffer.data_ = {memory, BlockReturn{rounded}};
  buffer.size_bytes_ = size_bytes;
  return buffer;
}

Result<AlignedBuffer> AlignedBuffer::allocate(std::size_t size_bytes) {
  ASSAY_ASSIGN(AlignedBuffer buffer, allocate_uninitialized(size_bytes));
  std::memset(buffer.data(), 0, rounded_size(size_bytes));
  return buffer;
}

}  // namespace assay
