// SPDX-License-Identifier: Apache-2.0
#include "tests/support/peak_memory.h"

#include <fstream>
#include <string>

namespace assay::test {
namespace {

// A line of /proc/self/status, "VmHWM:    1234 kB"; 0 where the kernel has none.
long status_kib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == name + ":" && status >> kib) {
      return kib;
    }
  }
  return 0;
}

}  // namespace

bool freed_memory_is_kept() {
#if defined(__SANITIZE_ADDRESS__)
  return true;
#else
  return false;
#endif
}

PeakMemory::PeakMemory() {
  std::ofstream("/proc/self/clear_refs") << "5";
  before_kib_ = status_kib("VmRSS");
}

long PeakMemory::growth_kib() const { return status_kib("VmHWM") - before_kib_; }

}  // namespace assay::test
