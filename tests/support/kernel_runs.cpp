// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kernel_runs.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "tests/support/whole_run.h"

namespace assay::test {
namespace {

struct Runs {
  unsigned long long native = 0;
  unsigned long long emulating = 0;
};

std::map<std::string, Runs>& recorded() {
  static std::map<std::string, Runs> runs;
  return runs;
}

const char* remark(const BuiltKernel& kernel, const Runs& runs) {
  if (!kernel.runs_here) {
    return "not supported by this CPU";
  }
  return runs.native + runs.emulating == 0 ? "never ran" : "";
}

}  // namespace

bool all_tests_were_run() {
  const auto& unit = *testing::UnitTest::GetInstance();
  // What is to run counts even where it is to run no times.
  return GTEST_FLAG_GET(repeat) != 0 && unit.test_to_run_count() > 0 &&
         unit.test_to_run_count() == unit.total_test_count() - unit.disabled_test_count();
}

void record_kernel_run(const std::string& kernel, bool native) {
  Runs& runs = recorded()[kernel];
  ++(native ? runs.native : runs.emulating);
}

int main_with_kernel_report(int argc, char** argv, const std::vector<BuiltKernel>& built) {
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  if (testing::GTEST_FLAG(list_tests)) {
    return result;
  }
  std::size_t missing = 0;
  std::printf("%-36s %12s %12s\n", "kernel", "natively", "emulating");
  for (const BuiltKernel& kernel : built) {
    const Runs& runs = recorded()[kernel.name];
    missing += kernel.runs_here && runs.native + runs.emulating == 0 ? 1 : 0;
    std::printf("%-36s %12llu %12llu  %s\n", kernel.name.c_str(), runs.native, runs.emulating, remark(kernel, runs));
  }
  if (missing > 0 && all_tests_were_run()) {
    std::printf("FAILED: %zu kernels that this CPU supports never ran\n", missing);
    return 1;
  }
  return result;
}

}  // namespace assay::test
