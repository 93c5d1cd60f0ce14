// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/onnx/versions.h"

namespace assay::onnx {
namespace {

std::string reason() { return errno == 0 ? "" : std::string(": ") + std::strerror(errno); }

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return io_error("'" + path + "' is a directory, not a file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return io_error("cannot open '" + path + "'" + reason());
  }
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > static_cast<std::uintmax_t>(kMaxModelBytes)) {
    return unsupported("'" + path + "' has " + std::to_string(size) + " bytes; the most for one ONNX file is " +
                       std::to_string(kMaxModelBytes));
  }
  std::string bytes;
  if (!error) {
    bytes.reserve(size);
  }
  char block[65536];
  while (file.read(block, sizeof(block)) || file.gcount() > 0) {
    bytes.append(block, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) {
    return io_error("cannot read '" + path + "'" + reason());
  }
  return bytes;
}

}  // namespace assay::onnx
