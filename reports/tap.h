// SPDX-License-Identifier: Apache-2.0
// results.tap: the Test Anything Protocol, version 14 (https://testanything.org).
#pragma once

#include "reports/renderer.h"

namespace assay::reports {

// A test point per variant, failures with a YAML block. An expected failure is "not ok" with the directive for what is
// yet to be done; a skip and an inconclusive one are "ok ... # SKIP reason". A run that was interrupted, or whose
// harness failed, ends in "Bail out!".
std::unique_ptr<Renderer> start_tap(const RunRecord& run, const Sink& sink);

}  // namespace assay::reports
