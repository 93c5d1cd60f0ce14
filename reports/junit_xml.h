// SPDX-License-Identifier: Apache-2.0
// junit.xml as Jenkins and GitLab read it: a testsuite per case, a testcase per variant.
// fail, xpass: <failure>; crash, timeout, invalid, not-run: <error>; skip, xfail, inconclusive: <skipped>.
#pragma once

#include <string>

#include "reports/renderer.h"

namespace assay::reports {

std::unique_ptr<Renderer> start_junit_xml(const RunRecord& run, const Sink& sink);

}  // namespace assay::reports
