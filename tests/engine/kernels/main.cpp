// SPDX-License-Identifier: Apache-2.0
// Runs the kernels' tests and says which rows of the kernel tables they reached.
#include "engine/kernels/depthwise/depthwise.h"
#include "engine/kernels/elementwise/binary.h"
#include "engine/kernels/elementwise/lookup.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/im2col/im2col.h"
#include "engine/kernels/linear/linear.h"
#include "engine/kernels/observe/observe.h"
#include "engine/kernels/peak/peak.h"
#include "engine/kernels/pool/pool.h"
#include "engine/kernels/requantize/requantize.h"
#include "engine/kernels/softmax/softmax.h"
#include "engine/kernels/transpose/transpose_bytes.h"
#include "tests/support/kernel_runs.h"

int main(int argc, char** argv) {
  using namespace assay::kernels;
  using assay::test::add_rows;
  std::vector<assay::test::BuiltKernel> built;
  add_rows(gemm_kernels(), built);
  add_rows(depthwise_kernels(), built);
  add_rows(im2col_kernels(), built);
  add_rows(requantize_kernels(), built);
  add_rows(transpose_kernels(), built);
  add_rows(linear_kernels(), built);
  add_rows(binary_kernels(), built);
  add_rows(lookup_kernels(), built);
  add_rows(pool_kernels(), built);
  add_rows(softmax_kernels(), built);
  add_rows(observe_kernels(), built);
  add_rows(peak_kernels(), built);
  return assay::test::main_with_kernel_report(argc, argv, built);
}
