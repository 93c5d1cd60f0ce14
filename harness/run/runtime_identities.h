// SPDX-License-Identifier: Apache-2.0
// Which external runtimes made a result: a part of its maker (maker.h), by name of the registry.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "harness/run/external/runtime_host.h"
#include "reports/record.h"

namespace assay::run {

// {"onnxruntime": "onnxruntime 1.32.0, isa host, command 0123456789abcdef"}: of those that have been started.
reports::Json identities_of(const std::set<std::string>& names, const RuntimeHost& host);

// The same by asking: each is started and says hello, in a worker that ends after `timeout_s`. One that cannot be asked
// says why: "not on this machine".
reports::Json ask_identities(const std::set<std::string>& names, double timeout_s,
                             const std::function<bool()>& interrupted);

}  // namespace assay::run
