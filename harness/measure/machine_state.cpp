// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/machine_state.h"

#include <sched.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace assay::measure {

std::optional<double> load_average() {
  double minute = 0;
  return ::getloadavg(&minute, 1) == 1 ? std::optional(minute) : std::nullopt;
}

std::optional<double> processor_mhz() {
  const int processor = ::sched_getcpu();
  if (processor < 0) {
    return std::nullopt;
  }
  std::ifstream scaling("/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/cpufreq/scaling_cur_freq");
  if (double kilohertz = 0; scaling >> kilohertz) {
    return kilohertz / 1000;
  }
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  for (int block = -1; std::getline(info, line);) {
    block += line.starts_with("processor") ? 1 : 0;
    if (block == processor && line.starts_with("cpu MHz")) {
      const double mhz = std::atof(line.c_str() + line.find(':') + 1);
      return mhz > 0 ? std::optional(mhz) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace assay::measure
