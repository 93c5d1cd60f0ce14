// SPDX-License-Identifier: Apache-2.0
// Benchmarks of matrix products, for tables of kernels and shapes. tests hand in tables of their own.
#pragma once

#include <span>

#include "engine/kernels/gemm/gemm.h"
#include "harness/bench/benchmark_row.h"
#include "harness/bench/gemm_shapes.h"

namespace assay::bench {

// Every kernel that this CPU runs, on every shape: gemm/<kernel>/<shape>. B is packed before, as in a session.
BenchmarkRows gemm_rows_of(std::span<const kernels::GemmKernel> table, std::span<const GemmShape> shapes);

// C of rows [first, first + rows) of a dense A by the table's scalar kernel for these operands and arithmetic.
struct ScalarProductArgs {
  kernels::Operands operands = kernels::Operands::kU8S8;
  Arithmetic arithmetic = Arithmetic::kExact;
  GemmShape shape;
  const void* a = nullptr;  // the first of the rows, k bytes apart
  const void* b = nullptr;  // [k, n]
  Index rows = 0;
};
Result<std::vector<std::int32_t>> scalar_product(const ScalarProductArgs& args);

// How many rows at each end of a product are compared: all, unless the scalar kernel would need seconds.
Index checked_rows(const GemmShape& shape);

}  // namespace assay::bench
