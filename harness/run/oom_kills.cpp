// SPDX-License-Identifier: Apache-2.0
#include "harness/run/oom_kills.h"

#include <fstream>
#include <string>

namespace assay::run {

std::int64_t oom_kills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  for (std::int64_t value = 0; file >> name >> value;) {
    if (name == "oom_kill") {
      return value;
    }
  }
  return 0;
}

}  // namespace assay::run
