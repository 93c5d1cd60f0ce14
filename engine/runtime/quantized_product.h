// SPDX-License-Identifier: Apache-2.0
// The quantized matrix product that convolution, MatMul and Gemm share:
//
//   v[i,j] = sum_p (a[i,p] - a_zero_point) * (b[p,j] - b_zero_point[j]) + bias[j]           (wrapping int32)
//   y[i,j] = requantize(v[i,j])                                                             (kernels/requantize)
//
// B is packed once together with its column sums; the raw product comes from the kernel that the profile chose, so that
// pair saturation sees raw bytes, and the zero points are taken away afterwards, exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/requantize/requantize.h"
#include "engine/runtime/operator.h"
#include "engine/runtime/scratch.h"

namespace assay::runtime {

// 8-bit operand as it lies in memory: element (i, j) at data + i*row_stride_bytes + j*column_stride_bytes.
struct ByteMatrix {
  const std::byte* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index row_stride_bytes = 0;
  Index column_stride_bytes = 1;
  bool is_signed = false;
};

kernels::Operands operands_of(bool a_signed, bool b_signed);

// B, k x n, packed for one kernel.
struct PackedMatrix {
  Index k = 0;
  Index n = 0;
  ScratchBuffer packed;
  std::vector<std::int32_t> column_sums;  // of the raw bytes
};
// Reuses the memory of `out`.
Status pack_matrix(const kernels::GemmKernel& kernel, const ByteMatrix& b, PackedMatrix& out);

// What zero points and bias add to each column of the raw product.
struct Correction {
  std::vector<std::int32_t> column_offset;
  std::vector<std::int32_t> b_zero_points;  // per column; empty where all are 0
};
struct CorrectionArgs {
  const PackedMatrix& b;
  std::int32_t a_zero_point = 0;
  std::span<const std::int32_t> b_zero_points;  // [n]
  std::span<const std::int32_t> bias = {};      // [n] or empty
};
void make_correction(const CorrectionArgs& args, Correction& out);

struct Requantization {
  std::vector<float> scales;  // per column: f32(f32(a_scale * b_scale) / y_scale)
  std::int32_t y_zero_point = 0;
  std::int32_t clamp_min = 0;
  std::int32_t clamp_max = 0;
  bool y_signed = false;
};
// The clamp of ai.assay operators (attributes clamp_min, clamp_max), within the range of the output type.
Status read_clamp(const Node& node, DType y_type, Requantization& out);
// f32(f32(a_scale * b_scale[j]) / y_scale)
template <typename List>
void set_product_scales(float a_scale, std::span<const float> b_scales, float y_scale, List& out) {
  out.resize(b_scales.size());
  std::transform(b_scales.begin(), b_scales.end(), out.begin(),
                 [&](float b_scale) { return a_scale * b_scale / y_scale; });
}

// Consecutive rows of A.
struct ProductRows {
  const std::byte* a = nullptr;
  Index count = 0;
  Index stride_bytes = 0;
  bool is_signed = false;
  kernels::GemmLines lines = {};  // only for kernels that read lines, and where no column needs the rows' sums
};
struct ProductScratch {
  ScratchBuffer acc;
  ScratchBuffer row_sums;
  Status reserve(Index rows, Index columns);
};
struct ProductOutput {
  void* y = nullptr;
  Index row_stride = 0;  // bytes where y is 8-bit, elements where it is int32
  Index column_stride = 1;
};

struct Product {
  const kernels::GemmKernel& kernel;
  const PackedMatrix& b;
  const Correction& correction;
};
// What becomes of the sums, and the kernel that the profile chose for it.
struct Requantize {
  const kernels::RequantizeKernel& kernel;
  const Requantization& to;
};
// `scratch` must have room for rows.count x n.
void multiply_requantize(const Product& product, const Requantize& requantize, const ProductRows& rows,
                         const ProductOutput& output, ProductScratch& scratch);
// int32 results. `scratch` likewise, unless nothing depends on the row. With a_zero_points (one per row), the
// correction must have been made with a_zero_point 0.
void multiply_correct(const Product& product, std::span<const std::int32_t> a_zero_points, const ProductRows& rows,
                      const ProductOutput& output, ProductScratch& scratch);

// Rows that one task of a product with n columns takes: small enough for the accumulators to stay in cache and for
// every thread to have work. Results do not depend on it.
Index product_block_rows(Index rows, Index n, int threads);

KernelInfo product_kernel_info(const kernels::GemmChoice& choice, const Profile& profile);

}  // namespace assay::runtime
