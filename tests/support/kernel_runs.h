// SPDX-License-Identifier: Apache-2.0
// Which kernels a test program ran, so that a table row that no test reaches fails the program.
#pragma once

#include <string>
#include <vector>

#include "engine/base/cpu_features.h"

namespace assay::test {

// native: false where the row stood in for another ISA. For one thread at a time.
void record_kernel_run(const std::string& kernel, bool native);

// The row of a kernel table that is about to be called, recorded.
template <typename Kernel>
const Kernel& ran(const Kernel& kernel) {
  record_kernel_run(kernel.name, true);
  return kernel;
}

struct BuiltKernel {
  std::string name;
  bool runs_here = false;
};
// Every row of a table.
template <typename Rows>
void add_rows(const Rows& rows, std::vector<BuiltKernel>& out) {
  for (const auto& row : rows) {
    out.push_back({.name = row.name, .runs_here = can_run(host_features(), row.isa)});
  }
}

// The main() of a test program: runs the tests and prints how often each row of `built` ran. After a run of all tests
// it is a failure if one that this CPU supports never did.
int main_with_kernel_report(int argc, char** argv, const std::vector<BuiltKernel>& built);

}  // namespace assay::test
