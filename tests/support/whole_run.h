// SPDX-License-Identifier: Apache-2.0
// Whether a test program runs all of its tests: what must hold after all of them may not after a part.
#pragma once

namespace assay::test {

// Not a part of them by a filter or a shard, nor none by --gtest_repeat=0.
bool all_tests_were_run();

}  // namespace assay::test
