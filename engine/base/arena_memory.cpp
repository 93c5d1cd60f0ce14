// SPDX-License-Identifier: Apache-2.0
#include "engine/base/arena_memory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "engine/base/block_pool.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
// Without the sanitizer nothing watches the places that are free.
#define ASAN_POISON_MEMORY_REGION(address, size) (static_cast<void>(address), static_cast<void>(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (static_cast<void>(address), static_cast<void>(size))
#endif

namespace assay {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<const std::byte*, std::weak_ptr<ArenaMemory>> by_begin;
};

// Never destroyed: tensors of static storage may be given back after any static destructor.
Registry& registry() {
  static Registry* const kRegistry = new Registry;
  return *kRegistry;
}

}  // namespace

std::shared_ptr<ArenaMemory> ArenaMemory::make(std::size_t size_bytes) {
  clear_block_pool();  // the arena takes the place of the blocks that the passes before it used
  std::byte* memory = take_pool_block(size_bytes);
  if (memory == nullptr) {
    return nullptr;
  }
  ASAN_POISON_MEMORY_REGION(memory, size_bytes);
  std::shared_ptr<ArenaMemory> made(new ArenaMemory(memory, size_bytes));
  const std::lock_guard<std::mutex> lock(registry().mutex);
  registry().by_begin[memory] = made;
  return made;
}

std::shared_ptr<ArenaMemory> ArenaMemory::find(const std::byte* address) {
  std::shared_ptr<ArenaMemory> found;  // destroyed behind the lock: it may be the last to hold the memory
  const std::lock_guard<std::mutex> lock(registry().mutex);
  const auto behind = registry().by_begin.upper_bound(address);
  if (behind == registry().by_begin.begin()) {
    return nullptr;
  }
  found = std::prev(behind)->second.lock();
  return found && address < found->memory_ + found->size_bytes_ ? found : nullptr;
}

bool ArenaMemory::is_free(std::size_t begin, std::size_t end) const {
  return std::none_of(held_.begin(), held_.end(),
                      [&](const Place& place) { return begin < place.end && place.begin < end; });
}

std::byte* ArenaMemory::hold(std::size_t offset, std::size_t size_bytes) {
  const std::lock_guard<std::mutex> lock(registry().mutex);
  if (!is_free(offset, offset + size_bytes)) {
    return nullptr;
  }
  held_.push_back({offset, offset + size_bytes});
  self_ = shared_from_this();
  ASAN_UNPOISON_MEMORY_REGION(memory_ + offset, size_bytes);
  return memory_ + offset;
}

void ArenaMemory::free(const std::byte* place) {
  std::shared_ptr<ArenaMemory> last;  // destroyed behind the lock
  const std::lock_guard<std::mutex> lock(registry().mutex);
  const auto begin = static_cast<std::size_t>(place - memory_);
  const auto found = std::find_if(held_.begin(), held_.end(), [&](const Place& held) { return held.begin == begin; });
  ASAN_POISON_MEMORY_REGION(place, found->end - found->begin);
  held_.erase(found);
  if (held_.empty()) {
    last = std::move(self_);
  }
}

ArenaMemory::~ArenaMemory() {
  {
    const std::lock_guard<std::mutex> lock(registry().mutex);
    registry().by_begin.erase(memory_);
  }
  ASAN_UNPOISON_MEMORY_REGION(memory_, size_bytes_);
  return_pool_block(memory_, size_bytes_);
}

}  // namespace assay
