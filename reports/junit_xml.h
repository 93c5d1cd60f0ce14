// SPDX-License-Identifier: Apache-2.0
// junit.xml as Jenkins and GitLab read it: a testsuite per case, a testcase per variant.
// fail, xpass: <failure>; crash, timeout, invalid, not-run: <error>; skip, xfail, inconclusive: <skipped>.
#pragma once

#include <string>

#include "reports/record.h"
#include "reports/sink.h"

namespace assay::reports {

void render_junit_xml(const RunRecord& run, const Sink& sink);

}  // namespace assay::reports
