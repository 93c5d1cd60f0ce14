// SPDX-License-Identifier: Apache-2.0
// A model loaded into an external runtime.
#pragma once

#include <memory>
#include <string>

#include "harness/run/external/protocol.h"
#include "harness/run/external/runtime_host.h"
#include "harness/run/runtime_session.h"

namespace assay::run {

// Errors: those of RuntimeHost::adapter; the runtime refuses the model (its own words). An adapter that dies is noted
// in the host as a crash.
Result<std::shared_ptr<RuntimeSession>> open_external_session(const api::Model& model, const std::string& runtime,
                                                              const LoadOptions& options, RuntimeHost& host);

}  // namespace assay::run
