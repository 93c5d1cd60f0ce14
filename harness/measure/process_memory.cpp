// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/process_memory.h"

#include <fstream>
#include <string>
#include <string_view>

namespace assay::measure {
namespace {

// A line of /proc/self/status, "VmHWM:    1234 kB".
long status_kib(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == name && status >> kib) {
      return kib;
    }
  }
  return 0;
}

}  // namespace

long resident_kib() { return status_kib("VmRSS:"); }

long peak_resident_kib() { return status_kib("VmHWM:"); }

}  // namespace assay::measure
