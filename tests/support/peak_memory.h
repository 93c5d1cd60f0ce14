// SPDX-License-Identifier: Apache-2.0
// How far the memory of this process grows while a test does something.
#pragma once

namespace assay::test {

// AddressSanitizer keeps freed memory for a while: under it the growth says nothing of what is in use.
bool freed_memory_is_kept();

class PeakMemory {
 public:
  // Begins anew where the kernel lets a process forget its peak (Linux does); what ran earlier is hidden by no peak
  // then.
  PeakMemory();

  // Highest resident memory since the construction, less the resident memory at that moment, in KiB.
  long growth_kib() const;

 private:
  long before_kib_ = 0;
};

}  // namespace assay::test
