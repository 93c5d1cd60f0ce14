// SPDX-License-Identifier: Apache-2.0
// Working memory of an operator, kept between runs and grown when needed.
#pragma once

#include <cstddef>

#include "engine/base/aligned_buffer.h"
#include "engine/base/block_arena.h"
#include "engine/base/dtype.h"

namespace assay::runtime {

class ScratchBuffer {
 public:
  // At least this many bytes, and a cache line behind them that kernels may read. The contents are lost where it grows.
  Status reserve(Index size_bytes) {
    const auto wanted = static_cast<std::size_t>(size_bytes) + kAlignmentBytes;
    if (buffer_.data() == nullptr || wanted > buffer_.size_bytes()) {
      const OutsideBlockArena outside;
      ASSAY_ASSIGN(buffer_, AlignedBuffer::allocate_uninitialized(wanted));
    }
    return {};
  }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(buffer_.data());
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(buffer_.data());
  }

 private:
  AlignedBuffer buffer_;
};

}  // namespace assay::runtime
