// SPDX-License-Identifier: Apache-2.0
// Bytes that arrive one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "engine/base/result.h"

namespace assay::spec {

class ByteReader {
 public:
  // `what` begins messages: "data.npz: array 'x': ". `size_bytes`: of all, as announced.
  ByteReader(std::string what, std::uint64_t size_bytes) : what_(std::move(what)), size_bytes_(size_bytes) {}
  virtual ~ByteReader() = default;
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  // The next bytes; fewer than asked for only where there are no more.
  virtual Result<std::size_t> read(std::span<std::byte> into) = 0;
  const std::string& what() const { return what_; }
  std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  std::string what_;
  std::uint64_t size_bytes_;
};

}  // namespace assay::spec
