// SPDX-License-Identifier: Apache-2.0
// junit.xml as Jenkins and GitLab read it: a testsuite per case, a testcase per variant.
// fail, xpass: <failure>; crash, timeout, invalid, not-run: <error>; skip, xfail, inconclusive: <skipped>.
#pragma once

#include <string>

#include "reports/record.h"

namespace assay::reports {

std::string render_junit_xml(const RunRecord& run);

}  // namespace assay::reports
