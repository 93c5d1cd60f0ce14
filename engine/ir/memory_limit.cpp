// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace assay {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// MemAvailable of /proc/meminfo, which is in KiB.
std::size_t available_in_system() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::size_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {
    std::getline(file, unit);
    if (key == "MemAvailable:") {
      return kibibytes * 1024;
    }
  }
  return kUnlimited;
}

// The number in a file, or `fallback` ("max" means no limit).
std::size_t read_number(const char* path, std::size_t fallback) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? value : fallback;
}

// As a container sees its own group.
std::size_t available_in_group() {
  const std::size_t limit = read_number("/sys/fs/cgroup/memory.max", kUnlimited);
  const std::size_t used = read_number("/sys/fs/cgroup/memory.current", 0);
  return limit == kUnlimited ? kUnlimited : limit - std::min(limit, used);
}

}  // namespace

Status check_memory(std::size_t size_bytes) {
  if (size_bytes < kCheckedBytes) {
    return {};
  }
  const std::size_t available = std::min(available_in_system(), available_in_group());
  if (size_bytes <= available) {
    return {};
  }
  return resource_error(std::to_string(size_bytes) + " bytes are needed, " + std::to_string(available) +
                        " are available");
}

}  // namespace assay
