// SPDX-License-Identifier: Apache-2.0
// Batched quantized matrix products: what QLinearMatMul, MatMulInteger and QGemm share.
#pragma once

#include <utility>
#include <vector>

#include "engine/runtime/quantized_product.h"

namespace assay::runtime {

// numpy's matmul: batch dimensions broadcast, a 1-D operand gets a dimension that the output loses again.
struct MatmulShape {
  Index m = 0;
  Index k = 0;
  Index n = 0;
  Index a_count = 1;                              // matrices that A has
  Index b_count = 1;                              // matrices that B has
  std::vector<std::pair<Index, Index>> products;  // the A and B matrix of each product, in output order
  Shape output;

  Index a_rows() const { return a_count * m; }
  Index b_columns() const { return b_count * n; }
  Index multiply_accumulates() const { return static_cast<Index>(products.size()) * m * n * k; }
};
// Where B is one matrix, all rows of A form one product.
Result<MatmulShape> resolve_matmul_shape(const Shape& a, const Shape& b);

// Parameters of A per row: one value, or one per row of every matrix ([M] for 2-D A, [..., M, 1] in general).
Result<std::vector<float>> read_row_scales(const Tensor& tensor, const Shape& a, const std::string& what);
Result<std::vector<std::int32_t>> read_row_zero_points(const Tensor& tensor, DType dtype, const Shape& a,
                                                       const std::string& what);
// Parameters of B per column, one for every column of every matrix: from one value, [N] or [..., 1, N].
Result<std::vector<float>> read_column_scales(const Tensor& tensor, const Shape& b, const std::string& what);
Result<std::vector<std::int32_t>> read_column_zero_points(const Tensor& tensor, DType dtype, const Shape& b,
                                                          const std::string& what);

struct MatmulOperands {
  const std::byte* a = nullptr;  // [a_rows, k]
  const MatmulShape& shape;
  std::span<const std::int32_t> a_zero_points;  // [1] or [a_rows]
  std::span<const std::int32_t> b_zero_points;  // [b_columns]
  std::span<const std::int32_t> bias = {};      // [n] or empty
};

class QuantizedMatmul {
 public:
  QuantizedMatmul(const Profile& profile, const CpuFeatures& features) : profile_(profile), features_(features) {}

  // Chooses the kernel for these operand types.
  void choose(bool a_signed, bool b_signed);
  // Chooses, and packs every matrix of B ([..., k, n], or [..., n, k] if transposed).
  Status pack(const Tensor& b, bool transposed, bool a_signed);

  // y: 8-bit, [products, m, n]; one a_zero_point. `requantization` has a scale for each of the b_columns.
  Status requantized(RunContext& context, const MatmulOperands& operands, const Requantization& requantization,
                     std::byte* y);
  // y: int32, [products, m, n].
  Status sums(RunContext& context, const MatmulOperands& operands, std::int32_t* y);

  bool packed_for(bool a_signed) const { return !packed_.empty() && a_signed == a_signed_; }
  bool saturates() const { return choice_.kernel->arithmetic == Arithmetic::kSat16Pairs; }
  KernelInfo kernel() const { return product_kernel_info(choice_, profile_); }

 private:
  // Calls body(product index, first row, row count, worker scratch) for blocks of rows.
  template <typename Body>
  Status for_each_block(const RunContext& context, const MatmulShape& shape, const Body& body);
  ByteMatrix right(Index index) const;

  Profile profile_;
  CpuFeatures features_;
  bool a_signed_ = false;
  kernels::GemmChoice choice_;
  Tensor b_;
  bool transposed_ = false;
  std::vector<PackedMatrix> packed_;  // per matrix of B
  std::vector<ProductScratch> workers_;
};

// y = requantize(sums) where scales differ from row to row: sums [rows, n], row i with a_scales[i] and the columns of
// scales b_scales: f32(f32(a_scale * b_scale) / y_scale).
struct RowRequantizeArgs {
  const std::int32_t* sums = nullptr;
  Index rows = 0;
  Index n = 0;
  std::span<const float> a_scales;  // [1] or [rows]
  std::span<const float> b_scales;  // [n]
  float y_scale = 1;
  const Requantization& requantization;  // its scales are not used
  std::byte* y = nullptr;
};
void requantize_rows(const RowRequantizeArgs& args);

}  // namespace assay::runtime
