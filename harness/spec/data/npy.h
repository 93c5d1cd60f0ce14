// SPDX-License-Identifier: Apache-2.0
// numpy's .npy format, versions 1 to 3.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/ir/tensor.h"

namespace assay::spec {

// Types: numpy's bool, integers of 1 to 8 bytes, float16, float32, float64, in either byte order; C or Fortran order
// (the result is row-major). Errors say what is wrong with the header or how many bytes are missing or left over;
// nothing is allocated before the header agrees with the number of bytes there.
Result<Tensor> parse_npy(std::span<const std::byte> bytes);

// What stands in front of the data.
struct NpyHeader {
  DType dtype = DType::kUndefined;
  bool swaps_bytes = false;    // big-endian
  bool columns_first = false;  // Fortran order, of more than one dimension
  Shape shape;
  std::size_t data_offset = 0;  // of the first byte of data
  std::size_t data_bytes = 0;
};

// The bytes that the header of a file with this beginning takes, itself included, as far as these bytes say; they are
// at least kNpyPreambleBytes, or the whole file.
inline constexpr std::size_t kNpyPreambleBytes = 12;
Result<std::size_t> npy_header_bytes(std::span<const std::byte> beginning);
// `bytes` has the whole header at least.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes);
// `there`: bytes of data. An error that says how many are missing or left over.
Status check_npy_size(const NpyHeader& header, std::size_t there);
// From bytes as the file has them to those of a tensor, in place: byte order, and any byte but 0 for true.
void adopt_npy_bytes(const NpyHeader& header, std::span<std::byte> bytes);

// Version 1, little-endian, C order. bfloat16, which numpy does not have, is widened to float32.
Result<std::string> format_npy(const Tensor& tensor);

}  // namespace assay::spec
