// SPDX-License-Identifier: Apache-2.0
// Operands of benchmarks: seeded, the same in every run and on every host.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/base/dtype.h"
#include "engine/base/result.h"

namespace assay::bench {

// Aligned elements with room behind them that vector kernels may read.
template <typename T>
class Elements {
 public:
  explicit Elements(Index count) : count_(static_cast<std::size_t>(count)) {
    Result<AlignedBuffer> made = AlignedBuffer::allocate(count_ * sizeof(T));
    if (made.ok()) {
      buffer_ = std::move(made).value();
    }
  }
  bool ok() const { return count_ == 0 || buffer_.size_bytes() >= count_ * sizeof(T); }
  T* data() { return reinterpret_cast<T*>(buffer_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(buffer_.data()); }
  std::span<T> span() { return {data(), ok() ? count_ : 0}; }
  std::span<const T> span() const { return {data(), ok() ? count_ : 0}; }
  Index size() const { return static_cast<Index>(count_); }

 private:
  std::size_t count_;
  AlignedBuffer buffer_;
};

// Uniform; `low` and `high` included.
void fill_bytes(std::span<std::uint8_t> bytes, std::uint64_t seed, int low = 0, int high = 255);
void fill_integers(std::span<std::int32_t> values, std::uint64_t seed, std::int32_t low, std::int32_t high);
void fill_floats(std::span<float> values, std::uint64_t seed, float low, float high);

// An error where two equally long outputs differ: "WHAT: byte 12 of 4096 is 3, the scalar kernel gives 4".
Status expect_same_bytes(const std::string& what, std::span<const std::byte> found, std::span<const std::byte> expected,
                         const std::string& source);
template <typename T>
Status expect_same(const std::string& what, std::span<const T> found, std::span<const T> expected,
                   const std::string& source) {
  return expect_same_bytes(what, std::as_bytes(found), std::as_bytes(expected), source);
}

}  // namespace assay::bench
