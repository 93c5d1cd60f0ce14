// SPDX-License-Identifier: Apache-2.0
#include "engine/base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

namespace assay {
namespace {

Error unreadable(const std::string& path, const std::string& reason) {
  return io_error(path + ": cannot be read: " + reason);
}

struct Descriptor {
  int number;
  explicit Descriptor(int opened) : number(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) {
      ::close(number);
    }
  }
};

constexpr std::size_t kBlock = 65536;

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
  // A FIFO must not keep the program waiting before it is known to be one.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat found {};
  if (file.number < 0 || ::fstat(file.number, &found) != 0) {
    const int code = errno;
    ASSAY_TRY(check_regular_file(path));
    return unreadable(path, std::strerror(code));
  }
  if (!S_ISREG(found.st_mode)) {
    ASSAY_TRY(check_regular_file(path));
    return unreadable(path, "this is not a regular file");
  }
  const auto size = static_cast<std::uintmax_t>(found.st_size);
  std::string bytes;
  try {
    // One byte more than there should be, so that one call finds the end. Files below /proc have no size and can be
    // read all the same.
    std::size_t room = size <= most_bytes ? static_cast<std::size_t>(size) + 1 : kBlock;
    while (bytes.size() <= most_bytes) {
      const std::size_t filled = bytes.size();
      bytes.resize(filled + room);
      const ssize_t got = ::read(file.number, bytes.data() + filled, room);
      const int code = errno;
      const std::size_t more = got > 0 ? static_cast<std::size_t>(got) : 0;
      bytes.resize(filled + more);
      if (got < 0 && code != EINTR) {
        return unreadable(path, std::strerror(code));
      }
      if (got == 0) {
        break;
      }
      room = room == more ? kBlock : room - more;
    }
  } catch (const std::bad_alloc&) {
    return resource_error(path + ": cannot be read: there is not enough memory for its " + std::to_string(size) +
                          " bytes");
  }
  if (bytes.size() > most_bytes) {
    return unsupported(path + ": has " + std::to_string(std::max<std::uintmax_t>(size, bytes.size())) +
                       " bytes; the most is " + std::to_string(most_bytes));
  }
  return bytes;
}

}  // namespace assay
