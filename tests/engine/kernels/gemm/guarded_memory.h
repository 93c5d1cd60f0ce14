// SPDX-License-Identifier: Apache-2.0
// Memory with a page that may not be touched directly before and behind it, so that a kernel which reads or writes
// outside its operands crashes the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace assay::test {

class GuardedMemory {
 public:
  GuardedMemory() = default;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { release(); }

  // Room for `size` bytes that touches the guard behind it, or the one before it if `at_front`. What was there is lost.
  // Null where the system refuses.
  std::uint8_t* place(std::size_t size, bool at_front) {
    if (size > size_ || base_ == nullptr) {
      release();
      map(size);
    }
    if (base_ == nullptr) {
      return nullptr;
    }
    return at_front ? base_ + page() : base_ + page() + size_ - size;
  }

 private:
  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

  void map(std::size_t size) {
    size_ = (size / page() + 1) * page();
    void* pages = mmap(nullptr, size_ + 2 * page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
      return;
    }
    base_ = static_cast<std::uint8_t*>(pages);
    if (mprotect(base_ + page(), size_, PROT_READ | PROT_WRITE) != 0) {
      release();
    }
  }

  void release() {
    if (base_ != nullptr) {
      munmap(base_, size_ + 2 * page());
      base_ = nullptr;
    }
  }

  std::uint8_t* base_ = nullptr;
  std::size_t size_ = 0;  // between the guards
};

}  // namespace assay::test
