// SPDX-License-Identifier: Apache-2.0
// ctrf.json: the Common Test Report Format (https://ctrf.io).
#pragma once

#include "reports/renderer.h"

namespace assay::reports {

// passed: pass, weak. failed: fail, xpass, invalid, crash, timeout. skipped: skip. pending: not-run. other: xfail,
// inconclusive. `rawStatus` has the outcome itself.
std::unique_ptr<Renderer> start_ctrf_json(const RunRecord& run, const Sink& sink);

}  // namespace assay::reports
