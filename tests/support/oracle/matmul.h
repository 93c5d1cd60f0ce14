// SPDX-License-Identifier: Apache-2.0
// Integer matrix product: C[i,j] = sum over p of (A[i,p] - a_zero_points[i]) * (B[p,j] - b_zero_points[j]), wrapped to
// int32, where the raw product sum of A and B follows the arithmetic and the zero points are taken away exactly.
#pragma once

#include "tests/support/oracle/integers.h"

namespace assay::oracle {

struct MatmulArgs {
  Index m = 0;
  Index n = 0;
  Index k = 0;
  Integers a;              // [m, k]
  Integers b;              // [k, n]
  Integers a_zero_points;  // none, one, or one per row
  Integers b_zero_points;  // none, one, or one per column
  Arithmetic arithmetic = Arithmetic::kExact;
};
Integers matmul(const MatmulArgs& args);

// Pairs of products per output element, those whose sum leaves int16, and the largest distance to it.
struct PairCounts {
  std::uint64_t pairs = 0;
  std::uint64_t saturated = 0;
  std::int64_t largest_loss = 0;
};
PairCounts count_pairs(const MatmulArgs& args);

}  // namespace assay::oracle
