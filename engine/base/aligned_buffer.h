// SPDX-License-Identifier: Apache-2.0
// A block of bytes aligned to a cache line, with room behind it that vector kernels may read but not write.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/base/result.h"

namespace assay {

inline constexpr std::size_t kAlignmentBytes = 64;

// Gives a block back to where it was taken from.
struct BlockReturn {
  std::size_t block_bytes = 0;
  void operator()(std::byte* block) const;
};

class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  // Zeroed memory; an error (kResource) if the system refuses it.
  static Result<AlignedBuffer> allocate(std::size_t size_bytes);
  // The same without zeroing, for memory that is written in full before it is read.
  static Result<AlignedBuffer> allocate_uninitialized(std::size_t size_bytes);

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::unique_ptr<std::byte, BlockReturn> data_;
  std::size_t size_bytes_ = 0;
};

}  // namespace assay
