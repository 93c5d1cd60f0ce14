// SPDX-License-Identifier: Apache-2.0
#include "engine/base/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

namespace assay {
namespace {

Error unreadable(const std::string& path, const std::string& reason) {
  return io_error(path + ": cannot be read: " + reason);
}

}  // namespace

Status check_regular_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return unreadable(path, error ? error.message() : std::strerror(ENOENT));
  }
  if (std::filesystem::is_directory(status)) {
    return unreadable(path, "this is a folder, not a file");
  }
  if (!std::filesystem::is_regular_file(status)) {
    return unreadable(path, "this is not a regular file");
  }
  return {};
}

Result<std::string> read_file(const std::string& path, std::uintmax_t most_bytes) {
  ASSAY_TRY(check_regular_file(path));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return unreadable(path, std::strerror(errno));
  }
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    return unreadable(path, error.message());
  }
  std::string bytes;
  try {
    if (size <= most_bytes) {
      bytes.reserve(size);
    }
    // Not only `size` bytes: files below /proc have none and can be read all the same.
    char block[65536];
    while (bytes.size() <= most_bytes && (file.read(block, sizeof(block)) || file.gcount() > 0)) {
      bytes.append(block, static_cast<std::size_t>(file.gcount()));
    }
  } catch (const std::bad_alloc&) {
    return resource_error(path + ": cannot be read: there is not enough memory for its " + std::to_string(size) +
                          " bytes");
  }
  if (file.bad()) {
    return unreadable(path, std::strerror(errno));
  }
  if (bytes.size() > most_bytes) {
    return unsupported(path + ": has " + std::to_string(std::max<std::uintmax_t>(size, bytes.size())) +
                       " bytes; the most is " + std::to_string(most_bytes));
  }
  return bytes;
}

}  // namespace assay
