// SPDX-License-Identifier: Apache-2.0
// Batched quantized matrix products: what QLinearMatMul, MatMulInteger and QGemm share.
#pragma once

#include <utility>
#include <vector>

#include "engine/runtime/product_witness.h"
#include "engine/runtime/quantized_product.h"
#include "engine/runtime/shared_weights.h"

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
Status read_row_scales(const Tensor& tensor, const Shape& a, const std::string& what, std::vector<float>& out);
Status read_row_zero_points(const Tensor& tensor, DType dtype, const Shape& a, const std::string& what,
                            std::vector<std::int32_t>& out);
// Parameters of B per column, one for every column of every matrix: from one value, [N] or [..., 1, N].
Status read_column_scales(const Tensor& tensor, const Shape& b, const std::string& what, std::vector<float>& out);
Status read_column_zero_points(const Tensor& tensor, DType dtype, const Shape& b, const std::string& what,
                               std::vector<std::int32_t>& out);

// Where a node has its operands.
struct MatmulInputs {
  std::size_t a = 0;
  std::size_t a_zero_point = 0;
  std::size_t b = 0;
  std::size_t b_zero_point = 0;
};

struct MatmulParameters {
  std::span<const std::int32_t> a_zero_points;  // [1] or [a_rows]
  std::span<const std::int32_t> b_zero_points;  // [b_columns]
  std::span<const std::int32_t> bias = {};      // [n] or empty
};

// The operands of one node from run to run. A constant B is packed once; what follows from shapes and constant
// parameters is kept for as long as they stay the same, so that such runs allocate no more than their outputs.
class QuantizedMatmul {
 public:
  // The node's B is [..., k, n], or [..., n, k] if transposed.
  QuantizedMatmul(const PrepareContext& context, const MatmulInputs& inputs, bool b_transposed = false);

  // Packs a constant B, where A's type is known.
  Status prepare(const PrepareContext& context);

  // Checks the types of A and B, resolves the shapes (a_shape: A's as it enters the product) and packs a B that is not
  // packed. Returns whether the parameters must be set again.
  Result<bool> bind(const RunContext& context, const Shape& a_shape);
  const MatmulShape& shape() const { return shape_; }
  void set_parameters(const MatmulParameters& parameters);
  // With a scale for each of the b_columns.
  void set_requantization(const Requantization& requantization);

  // a: [a_rows, k]. y: 8-bit, [products, m, n]; one a_zero_point.
  Status requantized(RunContext& context, const std::byte* a, std::byte* y);
  // y: int32, [products, m, n].
  Status sums(RunContext& context, const std::byte* a, std::int32_t* y);

  const kernels::RequantizeKernel& requantize_kernel() const { return requantize_; }
  bool saturates() const { return choice_.kernel->arithmetic == Arithmetic::kSat16Pairs; }
  KernelInfo kernel() const { return product_kernel_info(choice_, profile_); }

 private:
  void choose(bool a_signed, bool b_signed);
  Status pack(const Tensor& b, bool a_signed);
  Status pack_matrices(PackedMatrices& out) const;
  const PackedMatrices& matrices() const { return shared_ == nullptr ? packed_ : *shared_; }
  // Calls body(product index, first row, row count, worker scratch) for blocks of rows.
  template <typename Body>
  Status for_each_block(RunContext& context, const Body& body);
  ProductRows left(const std::byte* a, Index first, Index count) const;
  ByteMatrix right(Index index) const;
  Product product(Index index) const;
  const WeightWitness& witness(Index index);

  MatmulInputs inputs_;
  Profile profile_;
  CpuFeatures features_;
  bool b_transposed_;
  bool b_is_constant_;
  bool parameters_are_constant_;
  bool a_signed_ = false;
  kernels::GemmChoice choice_;
  Tensor b_;
  const kernels::RequantizeKernel& requantize_;
  PackedMatrices packed_;                         // per matrix of a B that is no constant
  std::shared_ptr<const PackedMatrices> shared_;  // likewise of a constant one
  std::vector<WeightWitness> witnesses_;          // likewise, from when a witness is first asked for
  // Of the last bind.
  bool bound_ = false;  // and its parameters set
  DType a_type_ = DType::kUint8;
  DType b_type_ = DType::kInt8;
  Shape a_shape_;
  Shape b_shape_;
  MatmulShape shape_;
  std::vector<std::int32_t> a_zero_points_;      // one per row, or none where the corrections have the only one
  std::vector<Correction> corrections_;          // per matrix of B
  std::vector<Requantization> requantizations_;  // likewise
  std::vector<ProductScratch> workers_;
};

// y = requantize(sums) where scales differ from row to row: sums [rows, n], row i with a_scales[i] and the columns of
// scales b_scales: f32(f32(a_scale * b_scale) / y_scale).
struct RowRequantizeArgs {
  const kernels::RequantizeKernel& kernel;
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
