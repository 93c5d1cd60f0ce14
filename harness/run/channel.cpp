// SPDX-License-Identifier: Apache-2.0
#include "harness/run/channel.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace assay::run {
namespace {

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool read_all(int descriptor, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t got = ::read(descriptor, bytes, count);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool send_message(int descriptor, const Json& message) {
  const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto length = static_cast<std::uint32_t>(body.size());
  std::string frame(sizeof length, '\0');
  std::memcpy(frame.data(), &length, sizeof length);
  return write_all(descriptor, frame + body);
}

std::optional<Json> receive_message(int descriptor) {
  std::uint32_t length = 0;
  if (!read_all(descriptor, reinterpret_cast<char*>(&length), sizeof length)) {
    return std::nullopt;
  }
  std::string body(length, '\0');
  if (!read_all(descriptor, body.data(), body.size())) {
    return std::nullopt;
  }
  return Json::parse(body, nullptr, false);
}

std::optional<Json> MessageBuffer::next() {
  std::uint32_t length = 0;
  if (bytes_.size() < sizeof length) {
    return std::nullopt;
  }
  std::memcpy(&length, bytes_.data(), sizeof length);
  if (bytes_.size() < sizeof length + length) {
    return std::nullopt;
  }
  Json message = Json::parse(std::string_view(bytes_).substr(sizeof length, length), nullptr, false);
  bytes_.erase(0, sizeof length + length);
  return message;
}

}  // namespace assay::run
