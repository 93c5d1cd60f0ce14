// SPDX-License-Identifier: Apache-2.0
#include "tests/support/heap_count.h"

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define ASSAY_COUNTS_HEAP 0
#else
#define ASSAY_COUNTS_HEAP 1
#endif

namespace assay::test {
namespace {

std::atomic<bool> counting = false;
std::atomic<long> allocations_made = 0;

#if ASSAY_COUNTS_HEAP
bool is_left_out(const void* caller) {
  Dl_info info;
  if (::dladdr(caller, &info) == 0 || info.dli_fname == nullptr) {
    return false;
  }
  for (const char* library : {"libdnnl.so", "libtbb", "libgomp.so"}) {
    if (std::strstr(info.dli_fname, library) != nullptr) {
      return true;
    }
  }
  return false;
}

void count(const void* caller) {
  if (counting.load(std::memory_order_relaxed) && !is_left_out(caller)) {
    allocations_made.fetch_add(1, std::memory_order_relaxed);
  }
}
#endif

}  // namespace

bool heap_is_counted() { return ASSAY_COUNTS_HEAP != 0; }

HeapCount::HeapCount() {
  allocations_made = 0;
  counting = true;
}

HeapCount::~HeapCount() { counting = false; }

long HeapCount::allocations() const { return allocations_made; }

}  // namespace assay::test

#if ASSAY_COUNTS_HEAP
// Before glibc's own by the order in which symbols are looked up; what frees stays glibc's.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  assay::test::count(__builtin_return_address(0));
  return __libc_malloc(size);
}

void* calloc(std::size_t elements, std::size_t size) {
  assay::test::count(__builtin_return_address(0));
  return __libc_calloc(elements, size);
}

void* realloc(void* block, std::size_t size) {
  assay::test::count(__builtin_return_address(0));
  return __libc_realloc(block, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  assay::test::count(__builtin_return_address(0));
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}
}

// As the standard library's aligned new calls it.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  assay::test::count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

// Not through malloc above, which would see the standard library call.
void* operator new(std::size_t size) {
  assay::test::count(__builtin_return_address(0));
  void* block = __libc_malloc(size == 0 ? 1 : size);
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  return block;
}
#endif
