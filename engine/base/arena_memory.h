// SPDX-License-Identifier: Apache-2.0
// Memory of an arena, found again by the addresses in it: return_block() needs to know what is no block of the pool.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace assay {

class ArenaMemory : public std::enable_shared_from_this<ArenaMemory> {
 public:
  // Null if the system refuses the memory.
  static std::shared_ptr<ArenaMemory> make(std::size_t size_bytes);
  // The memory that holds this address, or null. Thread-safe, as the members are.
  static std::shared_ptr<ArenaMemory> find(const std::byte* address);

  ~ArenaMemory();
  ArenaMemory(const ArenaMemory&) = delete;
  ArenaMemory& operator=(const ArenaMemory&) = delete;

  // The place, now held; null if a part of it is held already.
  std::byte* hold(std::size_t offset, std::size_t size_bytes);
  void free(const std::byte* place);

 private:
  ArenaMemory(std::byte* memory, std::size_t size_bytes) : memory_(memory), size_bytes_(size_bytes) {}
  bool is_free(std::size_t begin, std::size_t end) const;

  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  std::byte* memory_;
  std::size_t size_bytes_;
  std::vector<Place> held_;            // few: what lives at once
  std::shared_ptr<ArenaMemory> self_;  // while a place is held
};

}  // namespace assay
