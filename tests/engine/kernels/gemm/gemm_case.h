// SPDX-License-Identifier: Apache-2.0
// One integer product for the tests of the gemm kernels: bytes, strides, the kernel's run and the oracle's answer.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/kernels/gemm/gemm.h"
#include "tests/support/oracle/matmul.h"
#include "tests/support/random.h"

namespace assay::test {

struct OperandSigns {
  bool a = false;
  bool b = true;
};
OperandSigns signs_of(kernels::Operands operands);

struct GemmCase {
  Index m = 1;
  Index n = 1;
  Index k = 1;
  Index a_stride = 1;  // at least k
  Index c_stride = 1;  // at least n
  kernels::GemmLines lines;
  std::vector<std::int32_t> column_start;  // [n], or empty: 0
  bool b_transposed = false;               // column-major B: the layout of convolution weights
  std::vector<std::uint8_t> a;             // the rows, a_stride apart
  std::vector<std::uint8_t> b;

  std::string text() const;
  Index a_offset(Index i, Index p) const {
    const Index line = lines.rows > 0 ? lines.rows : m;
    const Index segment = std::max(k / lines.segments, Index{1});
    return i / line * lines.stride_bytes + i % line * a_stride + p / segment * lines.segment_stride_bytes + p % segment;
  }
  std::uint8_t& a_at(Index i, Index p) { return a[static_cast<std::size_t>(a_offset(i, p))]; }
  std::uint8_t& b_at(Index p, Index j) { return b[static_cast<std::size_t>(b_transposed ? j * k + p : p * n + j)]; }
};

// Zeroed operands; fill() makes what lies between the rows of A 0xA5.
GemmCase make_case(Index m, Index n, Index k);

enum class Fill { kUniform, kExtremes, kSaturating };
void fill(GemmCase& gemm, kernels::Operands operands, Fill kind, Random& random);
GemmCase random_case(kernels::Operands operands, Random& random);
// Small enough for thousands: tails of tiles and panels more than long sums.
GemmCase random_small_case(kernels::Operands operands, Random& random);

oracle::MatmulArgs oracle_args(const GemmCase& gemm, kernels::Operands operands, Arithmetic arithmetic);

// C as [m, n]. Fails the test if the kernel writes between the rows of C. A, the packed B and C lie against pages that
// may not be touched.
oracle::Integers run_kernel(const kernels::GemmKernel& kernel, const GemmCase& gemm);

// The rows of the table that this host can run.
std::vector<const kernels::GemmKernel*> runnable_kernels();

}  // namespace assay::test
