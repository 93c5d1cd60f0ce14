// SPDX-License-Identifier: Apache-2.0
// What is made of constant weights, once for all sessions of the process: it is found again by the bytes of its source
// and by its layout, all that it depends on beside them, and lives as long as somebody holds it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/ir/tensor.h"

namespace assay::runtime {

// Thread-safe. `Layout` has ==.
template <typename Layout, typename Made>
class WeightCache {
 public:
  using Held = std::shared_ptr<const Made>;

  // As somebody has made it, or made by `make`, whose errors it has.
  Result<Held> get(const Tensor& source, const Layout& layout, const std::function<Result<Made>()>& make) {
    const std::size_t hash =
        std::hash<std::string_view>()({reinterpret_cast<const char*>(source.bytes()), source.size_bytes()});
    {
      const std::scoped_lock lock(mutex_);
      if (Held found = find(hash, source, layout); found != nullptr) {
        return found;
      }
    }
    ASSAY_ASSIGN(Made made, make());
    auto entry = std::make_shared<const Entry>(Entry{.source = source, .layout = layout, .made = std::move(made)});
    const std::scoped_lock lock(mutex_);
    if (Held found = find(hash, source, layout); found != nullptr) {
      return found;  // another thread was first
    }
    entries_.emplace(hash, entry);
    return made_of(entry);
  }

  // Of what somebody holds.
  std::size_t count() {
    const std::scoped_lock lock(mutex_);
    std::erase_if(entries_, [](const auto& entry) { return entry.second.expired(); });
    return entries_.size();
  }

 private:
  // The source stays with what was made of it, so that its bytes can be compared. A session holds it anyway.
  struct Entry {
    Tensor source;
    Layout layout;
    Made made;
  };

  // Keeps the whole entry.
  static Held made_of(const std::shared_ptr<const Entry>& entry) { return {entry, &entry->made}; }

  // Forgets entries that nobody holds on the way.
  Held find(std::size_t hash, const Tensor& source, const Layout& layout) {
    auto [at, end] = entries_.equal_range(hash);
    while (at != end) {
      const std::shared_ptr<const Entry> entry = at->second.lock();
      if (entry == nullptr) {
        at = entries_.erase(at);
        continue;
      }
      if (entry->layout == layout && bytes_equal(entry->source, source)) {
        return made_of(entry);
      }
      ++at;
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::unordered_multimap<std::size_t, std::weak_ptr<const Entry>> entries_;  // by the hash of the source's bytes
};

}  // namespace assay::runtime
