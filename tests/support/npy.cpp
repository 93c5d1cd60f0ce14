// SPDX-License-Identifier: Apache-2.0
#include "tests/support/npy.h"

#include <fstream>
#include <iterator>
#include <map>
#include <regex>

namespace assay::test {
namespace {

const std::map<std::string, DType>& types() {
  static const std::map<std::string, DType> kTypes = {
      {"<f4", DType::kFloat32}, {"<f8", DType::kFloat64}, {"|i1", DType::kInt8},  {"|u1", DType::kUint8},
      {"<i2", DType::kInt16},   {"<u2", DType::kUint16},  {"<i4", DType::kInt32}, {"<u4", DType::kUint32},
      {"<i8", DType::kInt64},   {"<u8", DType::kUint64},  {"|b1", DType::kBool},
  };
  return kTypes;
}

constexpr std::size_t kVersionOffset = 6;
constexpr std::size_t kLengthOffset = 8;

std::size_t byte_at(const std::string& content, std::size_t i) { return static_cast<unsigned char>(content[i]); }

// Where the header's text begins and ends.
Result<std::pair<std::size_t, std::size_t>> header_range(const std::string& path, const std::string& content) {
  const std::size_t length_bytes = content.size() > kVersionOffset && content[kVersionOffset] == 1 ? 2 : 4;
  const std::size_t begin = kLengthOffset + length_bytes;
  if (content.size() < begin || content.compare(0, kVersionOffset, "\x93NUMPY") != 0) {
    return io_error(path + " is not a .npy file");
  }
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) {
    length = length * 256 + byte_at(content, kLengthOffset + i);
  }
  if (content.size() - begin < length) {
    return io_error(path + ": the header is cut off");
  }
  return std::pair{begin, begin + length};
}

}  // namespace

Result<Tensor> read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSAY_ASSIGN(const auto range, header_range(path, content));
  const std::string header = content.substr(range.first, range.second - range.first);
  std::smatch match;
  if (!std::regex_search(header, match, std::regex("'descr': '([^']+)'")) || !types().contains(match[1])) {
    return unsupported(path + ": unknown type in " + header);
  }
  const DType dtype = types().at(match[1]);
  if (header.find("'fortran_order': False") == std::string::npos) {
    return unsupported(path + ": not in C order");
  }
  if (!std::regex_search(header, match, std::regex("'shape': \\(([^)]*)\\)"))) {
    return io_error(path + ": no shape in " + header);
  }
  Shape shape;
  const std::string dims = match[1];
  const std::regex number("[0-9]+");
  for (std::sregex_iterator it(dims.begin(), dims.end(), number); it != std::sregex_iterator(); ++it) {
    shape.push_back(std::stoll(it->str()));
  }
  ASSAY_ASSIGN(Tensor tensor, Tensor::allocate(dtype, shape));
  if (content.size() - range.second != tensor.size_bytes()) {
    return io_error(path + ": the data are not as long as the header says");
  }
  std::memcpy(tensor.mutable_bytes(), content.data() + range.second, tensor.size_bytes());
  return tensor;
}

}  // namespace assay::test
