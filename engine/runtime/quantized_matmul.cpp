// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/quantized_matmul.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "engine/base/block_vector.h"
#include "engine/kernels/requantize/requantize.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

// The values of one B matrix.
template <typename T>
std::span<const T> columns_of_matrix(std::span<const T> values, Index matrix, Index n) {
  return values.subspan(static_cast<std::size_t>(matrix * n), static_cast<std::size_t>(n));
}

bool is_constant_or_omitted(const PrepareContext& context, std::size_t input) {
  return !context.has_input(input) || context.constant(input) != nullptr;
}

bool all_parameters_are_constant(const PrepareContext& context, const MatmulInputs& inputs) {
  bool out = true;
  for (std::size_t i = 0; i < context.node.inputs.size(); ++i) {
    const bool operand = i == inputs.a || i == inputs.b;
    out = out && (operand || is_constant_or_omitted(context, i));
  }
  return out;
}

}  // namespace

QuantizedMatmul::QuantizedMatmul(const PrepareContext& context, const MatmulInputs& inputs, bool b_transposed)
    : inputs_(inputs),
      profile_(context.profile),
      features_(context.features),
      b_transposed_(b_transposed),
      b_is_constant_(context.constant(inputs.b) != nullptr),
      parameters_are_constant_(all_parameters_are_constant(context, inputs)),
      requantize_(kernels::choose_requantize(context.profile, context.features)) {
  choose(known_dtype(context, {inputs.a, inputs.a_zero_point}).value_or(DType::kUint8) == DType::kInt8,
         known_dtype(context, {inputs.b, inputs.b_zero_point}).value_or(DType::kInt8) == DType::kInt8);
}

Status QuantizedMatmul::prepare(const PrepareContext& context) {
  const Tensor* b = context.constant(inputs_.b);
  const auto a_type = known_dtype(context, {inputs_.a, inputs_.a_zero_point});
  const bool packable = b != nullptr && is_8bit(b->dtype()) && b->rank() > 0 && (!b_transposed_ || b->rank() > 1);
  return packable && a_type.has_value() ? pack(*b, *a_type == DType::kInt8) : Status{};
}

void QuantizedMatmul::choose(bool a_signed, bool b_signed) {
  a_signed_ = a_signed;
  choice_ = kernels::choose_gemm(profile_, operands_of(a_signed, b_signed), features_);
}

Status QuantizedMatmul::pack(const Tensor& b, bool a_signed) {
  choose(a_signed, b.dtype() == DType::kInt8);
  const Shape& shape = b.shape();
  const bool vector = shape.size() == 1;
  const Index columns = vector ? 1 : shape.back();
  const Index rows = vector ? shape[0] : shape[shape.size() - 2];
  const Index count = vector ? 1 : std::accumulate(shape.begin(), shape.end() - 2, Index{1}, std::multiplies<>());
  b_ = b.reshaped({count, rows, columns});
  witnesses_.clear();
  shared_ = nullptr;
  if (!b_is_constant_) {
    return pack_matrices(packed_);
  }
  const WeightLayout layout = {.kernel = choice_.kernel,
                               .order = b_transposed_ ? WeightOrder::kTransposedMatrix : WeightOrder::kMatrix};
  ASSAY_ASSIGN(shared_, shared_weights(b_, layout, [&]() -> Result<PackedMatrices> {
                 PackedMatrices made;
                 ASSAY_TRY(pack_matrices(made));
                 return made;
               }));
  return {};
}

Status QuantizedMatmul::pack_matrices(PackedMatrices& out) const {
  out.resize(static_cast<std::size_t>(b_.dim(0)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSAY_TRY(pack_matrix(*choice_.kernel, right(static_cast<Index>(i)), out[i]));
  }
  return {};
}

Result<bool> QuantizedMatmul::bind(const RunContext& context, const Shape& a_shape) {
  const Tensor& a = context.input(inputs_.a);
  const Tensor& b = context.input(inputs_.b);
  const bool same =
      bound_ && a.dtype() == a_type_ && b.dtype() == b_type_ && a_shape == a_shape_ && b.shape() == b_shape_;
  if (!same) {
    bound_ = false;
    Shape b_shape = b.shape();
    if (b_transposed_) {
      std::swap(b_shape[b_shape.size() - 2], b_shape[b_shape.size() - 1]);
    }
    ASSAY_ASSIGN(shape_, resolve_matmul_shape(a_shape, b_shape));
    a_type_ = a.dtype();
    b_type_ = b.dtype();
    a_shape_ = a_shape;
    b_shape_ = b.shape();
  }
  const bool a_signed = a.dtype() == DType::kInt8;
  const bool repack = !b_is_constant_ || matrices().empty() || a_signed != a_signed_;
  if (repack) {
    bound_ = false;
    ASSAY_TRY(pack(b, a_signed));
  }
  return !(bound_ && parameters_are_constant_);
}

void QuantizedMatmul::set_parameters(const MatmulParameters& parameters) {
  const bool per_row = parameters.a_zero_points.size() > 1;
  a_zero_points_.clear();
  if (per_row) {
    a_zero_points_.assign(parameters.a_zero_points.begin(), parameters.a_zero_points.end());
  }
  corrections_.resize(static_cast<std::size_t>(shape_.b_count));
  for (Index i = 0; i < shape_.b_count; ++i) {
    make_correction({.b = matrices()[static_cast<std::size_t>(i)],
                     .a_zero_point = per_row ? 0 : parameters.a_zero_points[0],
                     .b_zero_points = columns_of_matrix(parameters.b_zero_points, i, shape_.n),
                     .bias = parameters.bias},
                    corrections_[static_cast<std::size_t>(i)]);
  }
  bound_ = true;
}

void QuantizedMatmul::set_requantization(const Requantization& requantization) {
  requantizations_.resize(static_cast<std::size_t>(shape_.b_count));
  for (Index i = 0; i < shape_.b_count; ++i) {
    const auto scales = columns_of_matrix(std::span<const float>(requantization.scales), i, shape_.n);
    Requantization& own = requantizations_[static_cast<std::size_t>(i)];
    own = requantization;
    own.scales.assign(scales.begin(), scales.end());
  }
}

ProductRows QuantizedMatmul::left(const std::byte* a, Index first, Index count) const {
  return {.a = a + first * shape_.k, .count = count, .stride_bytes = shape_.k, .is_signed = a_signed_};
}

ByteMatrix QuantizedMatmul::right(Index index) const {
  const Index k = b_.dim(b_transposed_ ? 2 : 1);
  const Index n = b_.dim(b_transposed_ ? 1 : 2);
  return {.data = b_.bytes() + index * k * n,
          .rows = k,
          .columns = n,
          .row_stride_bytes = b_transposed_ ? 1 : n,
          .column_stride_bytes = b_transposed_ ? k : 1,
          .is_signed = b_.dtype() == DType::kInt8};
}

Product QuantizedMatmul::product(Index index) const {
  const auto i = static_cast<std::size_t>(index);
  return {.kernel = *choice_.kernel, .b = matrices()[i], .correction = corrections_[i]};
}

const WeightWitness& QuantizedMatmul::witness(Index index) {
  while (witnesses_.size() < matrices().size()) {
    witnesses_.emplace_back(right(static_cast<Index>(witnesses_.size())));
  }
  return witnesses_[static_cast<std::size_t>(index)];
}

template <typename Body>
Status QuantizedMatmul::for_each_block(RunContext& context, const Body& body) {
  context.multiply_accumulates = shape_.multiply_accumulates();
  if (!saturates()) {
    context.witness = nullptr;
  }
  const int threads = context.witness == nullptr ? context.threads : 1;  // the witness is one record
  const Index block = product_block_rows(shape_.m, shape_.n, threads);
  const Index blocks = (shape_.m + block - 1) / block;
  workers_.resize(static_cast<std::size_t>(threads));
  for (ProductScratch& worker : workers_) {
    ASSAY_TRY(worker.reserve(std::min(block, shape_.m), shape_.n));
  }
  if (context.witness != nullptr) {
    for (Index i = 0; i < shape_.b_count; ++i) {
      witness(i).add_bounds(0, *context.witness);
    }
  }
  for_each_task(static_cast<Index>(shape_.products.size()) * blocks, threads, [&](Index task, int slot) {
    const Index first = task % blocks * block;
    body(task / blocks, first, std::min(block, shape_.m - first), workers_[static_cast<std::size_t>(slot)]);
  });
  if (!b_is_constant_) {
    b_ = Tensor();  // packed; its memory is the run's
  }
  return {};
}

Status QuantizedMatmul::requantized(RunContext& context, const std::byte* a, std::byte* y) {
  return for_each_block(context, [&](Index index, Index first, Index count, ProductScratch& scratch) {
    const auto [a_index, b_index] = shape_.products[static_cast<std::size_t>(index)];
    const ProductRows rows = left(a, a_index * shape_.m + first, count);
    multiply_requantize(product(b_index), {requantize_, requantizations_[static_cast<std::size_t>(b_index)]}, rows,
                        {.y = y + (index * shape_.m + first) * shape_.n, .row_stride = shape_.n}, scratch);
    if (context.witness != nullptr) {
      witness(b_index).add(rows, 0, *context.witness);
    }
  });
}

Status QuantizedMatmul::sums(RunContext& context, const std::byte* a, std::int32_t* y) {
  return for_each_block(context, [&](Index index, Index first, Index count, ProductScratch& scratch) {
    const auto [a_index, b_index] = shape_.products[static_cast<std::size_t>(index)];
    const Index row = a_index * shape_.m + first;
    const ProductRows rows = left(a, row, count);
    std::span<const std::int32_t> zero_points = a_zero_points_;
    if (!zero_points.empty()) {
      zero_points = zero_points.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(count));
    }
    multiply_correct(product(b_index), zero_points, rows,
                     {.y = y + (index * shape_.m + first) * shape_.n, .row_stride = shape_.n}, scratch);
    if (context.witness != nullptr) {
      witness(b_index).add(rows, 0, *context.witness);
    }
  });
}

void requantize_rows(const RowRequantizeArgs& args) {
  const BlockVector<std::int32_t> no_offset(static_cast<std::size_t>(args.n), 0);
  BlockVector<float> scales;
  for (Index i = 0; i < args.rows; ++i) {
    const float a_scale = args.a_scales[args.a_scales.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    set_product_scales(a_scale, args.b_scales, args.y_scale, scales);
    kernels::requantize(args.kernel, {.rows = 1,
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
