// SPDX-License-Identifier: Apache-2.0
#include "engine/base/unfinished_files.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace assay {
namespace {

enum SlotState : int { kFree, kFilling, kNoted };

struct Slot {
  std::atomic<int> state = kFree;
  std::array<char, PATH_MAX> path{};
};

// Fixed memory: a handler must not allocate, nor look at what another thread is about to move.
std::array<Slot, 64>& slots() {
  static std::array<Slot, 64> all;
  return all;
}
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  if (path.size() >= PATH_MAX) {
    return;
  }
  for (std::size_t i = 0; i < slots().size(); ++i) {
    Slot& slot = slots()[i];
    int expected = kFree;
    if (slot.state.compare_exchange_strong(expected, kFilling)) {
      std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
      slot.state = kNoted;
      slot_ = i;
      return;
    }
  }
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept : slot_(std::exchange(other.slot_, kNone)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ != kNone) {
    slots()[slot_].state = kFree;
  }
}

void remove_unfinished_files() {
  const int kept = errno;
  for (Slot& slot : slots()) {
    if (slot.state == kNoted) {
      ::unlink(slot.path.data());
    }
  }
  errno = kept;
}

}  // namespace assay
