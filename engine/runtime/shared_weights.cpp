// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/shared_weights.h"

#include <mutex>
#include <string_view>
#include <unordered_map>

namespace assay::runtime {
namespace {

// The source stays with what was made of it, so that its bytes can be compared. A session holds it anyway.
struct Entry {
  Tensor source;
  WeightLayout layout;
  PackedMatrices matrices;
};

struct Cache {
  std::mutex mutex;
  std::unordered_multimap<std::size_t, std::weak_ptr<const Entry>> entries;  // by the hash of the source's bytes
};

// Never destroyed: sessions of static storage may end after any static destructor.
Cache& cache() {
  static Cache* const kCache = new Cache;
  return *kCache;
}

std::size_t hash_of(const Tensor& tensor) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(tensor.bytes()), tensor.size_bytes()});
}

// The entry's matrices, which keep the whole entry.
std::shared_ptr<const PackedMatrices> matrices_of(const std::shared_ptr<const Entry>& entry) {
  return {entry, &entry->matrices};
}

// Forgets entries that nobody holds on the way.
std::shared_ptr<const Entry> find(Cache& cache, std::size_t hash, const Tensor& source, const WeightLayout& layout) {
  auto [at, end] = cache.entries.equal_range(hash);
  while (at != end) {
    std::shared_ptr<const Entry> entry = at->second.lock();
    if (entry == nullptr) {
      at = cache.entries.erase(at);
      continue;
    }
    if (entry->layout == layout && bytes_equal(entry->source, source)) {
      return entry;
    }
    ++at;
  }
  return nullptr;
}

}  // namespace

Result<std::shared_ptr<const PackedMatrices>> shared_weights(const Tensor& source, const WeightLayout& layout,
                                                             const std::function<Result<PackedMatrices>()>& pack) {
  const std::size_t hash = hash_of(source);
  {
    const std::scoped_lock lock(cache().mutex);
    if (const auto found = find(cache(), hash, source, layout); found != nullptr) {
      return matrices_of(found);
    }
  }
  ASSAY_ASSIGN(PackedMatrices matrices, pack());
  auto made = std::make_shared<const Entry>(Entry{.source = source, .layout = layout, .matrices = std::move(matrices)});
  const std::scoped_lock lock(cache().mutex);
  if (const auto found = find(cache(), hash, source, layout); found != nullptr) {
    return matrices_of(found);  // another thread was first
  }
  cache().entries.emplace(hash, made);
  return matrices_of(made);
}

std::size_t shared_weight_count() {
  const std::scoped_lock lock(cache().mutex);
  std::erase_if(cache().entries, [](const auto& entry) { return entry.second.expired(); });
  return cache().entries.size();
}

}  // namespace assay::runtime
