// SPDX-License-Identifier: Apache-2.0
#include "harness/run/host.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "engine/base/cpu_features.h"
#include "harness/run/maker.h"

namespace assay::run {
namespace {

using reports::Json;

Json feature_list(const CpuFeatures& features) {
  struct Row {
    const char* name;
    bool present;
  };
  const Row rows[] = {{"sse41", features.sse41},
                      {"avx2", features.avx2},
                      {"avx512", features.avx512},
                      {"avx_vnni", features.avx_vnni},
                      {"avx512_vnni", features.avx512_vnni},
                      {"amx_int8", features.amx_int8},
                      {"neon", features.neon},
                      {"neon_dot", features.neon_dot},
                      {"neon_i8mm", features.neon_i8mm}};
  Json list = Json::array();
  for (const Row& row : rows) {
    if (row.present) {
      list.push_back(row.name);
    }
  }
  return list;
}

Json native_profiles(const CpuFeatures& features) {
  Json list = Json::array();
  for (const Isa isa : all_isas()) {
    if (can_run(features, isa)) {
      list.push_back(isa_name(isa));
    }
  }
  return list;
}

}  // namespace

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
    return CPU_COUNT(&set);
  }
  return 1;
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm fields{};
  ::gmtime_r(&now, &fields);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text;
}

reports::Json host_facts() {
  const CpuFeatures& features = host_features();
  utsname system{};
  ::uname(&system);
  const auto pages = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page_bytes = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
  Json host = Json::object();
  host["name"] = system.nodename;
  host["cpu"] = features.model_name;
  host["features"] = feature_list(features);
  host["native_profiles"] = native_profiles(features);
  host["best_isa"] = isa_name(best_isa(features));
  host["cores"] = usable_cores();
  host["memory_bytes"] = pages * page_bytes;
  host["system"] = std::string(system.sysname) + " " + system.release + " " + system.machine;
  host["assay"] = ASSAY_VERSION;
  host["build"] = build_id();
  host["compiler"] = "GCC " __VERSION__;
  return host;
}

}  // namespace assay::run
