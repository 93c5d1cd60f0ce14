// SPDX-License-Identifier: Apache-2.0
// How often this process asks the allocator for memory while a test does something.
#pragma once

namespace assay::test {

// Sanitizers bring an allocator of their own: under them nothing is counted.
bool heap_is_counted();

// Counts while it lives, one at a time, for all threads: what assay asks for and what the standard library does for it.
// What oneDNN, oneTBB and OpenMP ask for themselves is left out, told by the library whose code calls.
class HeapCount {
 public:
  HeapCount();
  ~HeapCount();
  HeapCount(const HeapCount&) = delete;
  HeapCount& operator=(const HeapCount&) = delete;

  long allocations() const;
};

}  // namespace assay::test
