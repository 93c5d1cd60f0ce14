// SPDX-License-Identifier: Apache-2.0
// Runs the runtime's tests and says which kernels plans chose and ran; the tables are those of the kernels that a
// plan's record names.
#include "engine/kernels/depthwise/depthwise.h"
#include "engine/kernels/elementwise/binary.h"
#include "engine/kernels/elementwise/lookup.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/linear/linear.h"
#include "engine/kernels/pool/pool.h"
#include "tests/support/kernel_runs.h"

int main(int argc, char** argv) {
  using namespace assay::kernels;
  using assay::test::add_rows;
  std::vector<assay::test::BuiltKernel> built;
  add_rows(gemm_kernels(), built);
  add_rows(depthwise_kernels(), built);
  add_rows(linear_kernels(), built);
  add_rows(binary_kernels(), built);
  add_rows(lookup_kernels(), built);
  add_rows(pool_kernels(), built);
  return assay::test::main_with_kernel_report(argc, argv, built);
}
