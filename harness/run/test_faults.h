// SPDX-License-Identifier: Apache-2.0
// Faults that tests of the harness ask for through the environment, since a healthy engine neither crashes nor hangs.
// Each names a variant, or several with ";" between them: ASSAY_TEST_CRASH aborts the worker, ASSAY_TEST_HANG makes it
// sleep, ASSAY_TEST_KILL ends it with SIGKILL, ASSAY_TEST_EAT takes memory until there is none, ASSAY_TEST_STRAY leaves
// a process in a session of its own.
#pragma once

#include <string>

namespace assay::run {

void apply_test_faults(const std::string& variant_name);

}  // namespace assay::run
