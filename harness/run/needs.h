// SPDX-License-Identifier: Apache-2.0
// What a case needs of its host (docs/case-language.md).
#pragma once

#include <optional>
#include <string>

#include "harness/run/external/runtime_host.h"
#include "harness/spec/case.h"

namespace assay::run {

// What is there to be asked about; a test puts its own here.
struct HostQuery {
  std::vector<std::string> features;
  Index cores = 0;
  Index memory_mb = 0;
  std::string package_folder = "/var/lib/dpkg/info";  // a file NAME.list or NAME:ARCHITECTURE.list for each package
};
HostQuery this_host();

// Why the case cannot run here under the configuration, or nothing: "needs CPU feature 'avx512_vnni', this host has
// sse41, avx2".
std::optional<std::string> missing_need(const spec::Case& test_case, const spec::Configuration& configuration,
                                        RuntimeHost& runtimes, const HostQuery& host);

}  // namespace assay::run
