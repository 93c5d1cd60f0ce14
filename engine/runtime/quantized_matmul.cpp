// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/quantized_matmul.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/kernels/requantize/requantize.h"
#include "engine/runtime/parallel.h"

namespace assay::runtime {
namespace {

// The values of one B matrix.
template <typename T>
std::span<const T> columns_of_matrix(std::span<const T> values, Index matrix, Index n) {
  return values.subspan(static_cast<std::size_t>(matrix * n), static_cast<std::size_t>(n));
}

ProductRows left_rows(const MatmulOperands& operands, Index first, Index count, bool is_signed) {
  return {.a = operands.a + first * operands.shape.k,
          .count = count,
          .stride_bytes = operands.shape.k,
          .is_signed = is_signed};
}

}  // namespace

void QuantizedMatmul::choose(bool a_signed, bool b_signed) {
  a_signed_ = a_signed;
  choice_ = kernels::choose_gemm(profile_, operands_of(a_signed, b_signed), features_);
}

Status QuantizedMatmul::pack(const Tensor& b, bool transposed, bool a_signed) {
  choose(a_signed, b.dtype() == DType::kInt8);
  const Shape& shape = b.shape();
  const bool vector = shape.size() == 1;
  const Index columns = vector ? 1 : shape.back();
  const Index rows = vector ? shape[0] : shape[shape.size() - 2];
  const Index count = vector ? 1 : std::accumulate(shape.begin(), shape.end() - 2, Index{1}, std::multiplies<>());
  b_ = b.reshaped({count, rows, columns});
  transposed_ = transposed;
  packed_.resize(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    ASSAY_TRY(pack_matrix(*choice_.kernel, right(i), packed_[static_cast<std::size_t>(i)]));
  }
  return {};
}

ByteMatrix QuantizedMatmul::right(Index index) const {
  const Index k = b_.dim(transposed_ ? 2 : 1);
  const Index n = b_.dim(transposed_ ? 1 : 2);
  return {.data = b_.bytes() + index * k * n,
          .rows = k,
          .columns = n,
          .row_stride_bytes = transposed_ ? 1 : n,
          .column_stride_bytes = transposed_ ? k : 1,
          .is_signed = b_.dtype() == DType::kInt8};
}

template <typename Body>
Status QuantizedMatmul::for_each_block(const RunContext& context, const MatmulShape& shape, const Body& body) {
  const int threads = context.witness == nullptr ? context.threads : 1;  // the witness is one record
  const Index block = product_block_rows(shape.m, shape.n, threads);
  const Index blocks = (shape.m + block - 1) / block;
  workers_.resize(static_cast<std::size_t>(threads));
  for (ProductScratch& worker : workers_) {
    ASSAY_TRY(worker.reserve(std::min(block, shape.m), shape.n));
  }
  for_each_task(static_cast<Index>(shape.products.size()) * blocks, threads, [&](Index task, int slot) {
    const Index first = task % blocks * block;
    body(task / blocks, first, std::min(block, shape.m - first), workers_[static_cast<std::size_t>(slot)]);
  });
  return {};
}

Status QuantizedMatmul::requantized(RunContext& context, const MatmulOperands& operands,
                                    const Requantization& requantization, std::byte* y) {
  const MatmulShape& shape = operands.shape;
  context.multiply_accumulates = shape.multiply_accumulates();
  std::vector<Correction> corrections;
  std::vector<Requantization> requantizations;
  for (Index i = 0; i < shape.b_count; ++i) {
    corrections.push_back(make_correction({.b = packed_[static_cast<std::size_t>(i)],
                                           .a_zero_point = operands.a_zero_points[0],
                                           .b_zero_points = columns_of_matrix(operands.b_zero_points, i, shape.n),
                                           .bias = operands.bias}));
    const auto scales = columns_of_matrix(std::span<const float>(requantization.scales), i, shape.n);
    requantizations.push_back(requantization);
    requantizations.back().scales.assign(scales.begin(), scales.end());
  }
  return for_each_block(context, shape, [&](Index product, Index first, Index count, ProductScratch& scratch) {
    const auto [a, b] = shape.products[static_cast<std::size_t>(product)];
    const auto index = static_cast<std::size_t>(b);
    const ProductRows rows = left_rows(operands, a * shape.m + first, count, a_signed_);
    multiply_requantize({*choice_.kernel, packed_[index], corrections[index]}, requantizations[index], rows,
                        {.y = y + (product * shape.m + first) * shape.n, .row_stride = shape.n}, scratch);
    if (context.witness != nullptr) {
      witness_product(rows, right(b), *context.witness);
    }
  });
}

Status QuantizedMatmul::sums(RunContext& context, const MatmulOperands& operands, std::int32_t* y) {
  const MatmulShape& shape = operands.shape;
  context.multiply_accumulates = shape.multiply_accumulates();
  const bool per_row = operands.a_zero_points.size() > 1;
  std::vector<Correction> corrections;
  for (Index i = 0; i < shape.b_count; ++i) {
    corrections.push_back(make_correction({.b = packed_[static_cast<std::size_t>(i)],
                                           .a_zero_point = per_row ? 0 : operands.a_zero_points[0],
                                           .b_zero_points = columns_of_matrix(operands.b_zero_points, i, shape.n),
                                           .bias = operands.bias}));
  }
  return for_each_block(context, shape, [&](Index product, Index first, Index count, ProductScratch& scratch) {
    const auto [a, b] = shape.products[static_cast<std::size_t>(product)];
    const auto index = static_cast<std::size_t>(b);
    const Index row = a * shape.m + first;
    const ProductRows rows = left_rows(operands, row, count, a_signed_);
    const auto zero_points =
        per_row ? operands.a_zero_points.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(count))
                : std::span<const std::int32_t>{};
    multiply_correct({*choice_.kernel, packed_[index], corrections[index]}, zero_points, rows,
                     {.y = y + (product * shape.m + first) * shape.n, .row_stride = shape.n}, scratch);
    if (context.witness != nullptr) {
      witness_product(rows, right(b), *context.witness);
    }
  });
}

void requantize_rows(const RowRequantizeArgs& args) {
  const std::vector<std::int32_t> no_offset(static_cast<std::size_t>(args.n), 0);
  for (Index i = 0; i < args.rows; ++i) {
    const float a_scale = args.a_scales[args.a_scales.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    const std::vector<float> scales = product_scales(a_scale, args.b_scales, args.y_scale);
    kernels::requantize({.rows = 1,
                         .columns = args.n,
                         .acc = args.sums + i * args.n,
                         .acc_stride = args.n,
                         .column_offset = no_offset.data(),
                         .scale = scales.data(),
                         .y_zero_point = args.requantization.y_zero_point,
                         .clamp_min = args.requantization.clamp_min,
                         .clamp_max = args.requantization.clamp_max,
                         .y_signed = args.requantization.y_signed,
                         .y = args.y + i * args.n,
                         .y_row_stride_bytes = args.n});
  }
}

}  // namespace assay::runtime
