// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/quantized_product.h"

#include <algorithm>

#include "engine/base/rounding.h"
#include "engine/kernels/requantize/requantize.h"

namespace assay::runtime {
namespace {

// Accumulators of one block: 64 Ki of int32 fit a second-level cache with the operands beside them.
constexpr Index kBlockElements = Index{1} << 16;
constexpr Index kRowGranule = 16;  // a multiple of every kernel's row tile

// Along the direction in which B's bytes are neighbours.
template <typename T>
void sum_columns(const ByteMatrix& b, std::vector<std::int32_t>& sums) {
  const auto* data = reinterpret_cast<const T*>(b.data);
  std::int32_t* out = sums.data();
  std::fill_n(out, b.columns, 0);
  if (b.column_stride_bytes == 1) {
    for (Index p = 0; p < b.rows; ++p) {
      const T* row = data + p * b.row_stride_bytes;
      for (Index j = 0; j < b.columns; ++j) {
        out[j] = wrapping_add(out[j], row[j]);
      }
    }
    return;
  }
  for (Index j = 0; j < b.columns; ++j) {
    const T* column = data + j * b.column_stride_bytes;
    for (Index p = 0; p < b.rows; ++p) {
      out[j] = wrapping_add(out[j], column[p * b.row_stride_bytes]);
    }
  }
}

// Raw sums; with column_start, sums that start there.
struct SumsOutput {
  std::int32_t* c = nullptr;
  Index stride = 0;
  const std::int32_t* column_start = nullptr;
};
void multiply(const Product& product, const ProductRows& rows, const SumsOutput& output) {
  product.kernel.run({.m = rows.count,
                      .n = product.b.n,
                      .k = product.b.k,
                      .a = rows.a,
                      .a_stride_bytes = rows.stride_bytes,
                      .packed_b = product.b.packed.as<std::byte>(),
                      .c = output.c,
                      .c_stride = output.stride,
                      .column_start = output.column_start,
                      .lines = rows.lines});
}

// The row sums, or null where no column needs them.
const std::int32_t* sum_rows(const Product& product, const ProductRows& rows, ProductScratch& scratch) {
  if (product.correction.b_zero_points.empty()) {
    return nullptr;
  }
  auto* sums = scratch.row_sums.as<std::int32_t>();
  kernels::row_sums({.rows = rows.count,
                     .k = product.b.k,
                     .a = rows.a,
                     .a_stride_bytes = rows.stride_bytes,
                     .a_signed = rows.is_signed,
                     .out = sums});
  return sums;
}

const std::int32_t* data_or_null(const std::vector<std::int32_t>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

kernels::Operands operands_of(bool a_signed, bool b_signed) {
  if (a_signed) {
    return b_signed ? kernels::Operands::kS8S8 : kernels::Operands::kS8U8;
  }
  return b_signed ? kernels::Operands::kU8S8 : kernels::Operands::kU8U8;
}

Status pack_matrix(const kernels::GemmKernel& kernel, const ByteMatrix& b, PackedMatrix& out) {
  out.k = b.rows;
  out.n = b.columns;
  ASSAY_TRY(out.packed.reserve(kernel.packed_bytes(b.columns, b.rows)));
  out.column_sums.resize(static_cast<std::size_t>(b.columns));
  kernel.pack({.n = b.columns,
               .k = b.rows,
               .b = b.data,
               .k_stride_bytes = b.row_stride_bytes,
               .n_stride_bytes = b.column_stride_bytes,
               .packed = out.packed.as<std::byte>()});
  if (b.is_signed) {
    sum_columns<std::int8_t>(b, out.column_sums);
  } else {
    sum_columns<std::uint8_t>(b, out.column_sums);
  }
  return {};
}

void make_correction(const CorrectionArgs& args, Correction& out) {
  out.column_offset.assign(static_cast<std::size_t>(args.b.n), 0);
  const bool shifted =
      std::any_of(args.b_zero_points.begin(), args.b_zero_points.end(), [](std::int32_t zero) { return zero != 0; });
  out.b_zero_points.clear();
  if (shifted) {
    out.b_zero_points.assign(args.b_zero_points.begin(), args.b_zero_points.end());
  }
  const auto k = static_cast<std::int32_t>(args.b.k);
  for (std::size_t j = 0; j < out.column_offset.size(); ++j) {
    const std::int32_t bias = args.bias.empty() ? 0 : args.bias[j];
    // bias - za*colsum + k*za*zb
    const std::int32_t zb = shifted ? args.b_zero_points[j] : 0;
    const std::int32_t centred = wrapping_sub(args.b.column_sums[j], wrapping_mul(k, zb));
    out.column_offset[j] = wrapping_sub(bias, wrapping_mul(args.a_zero_point, centred));
  }
}

Status read_clamp(const Node& node, DType y_type, Requantization& out) {
  const IntegerRange range = dtype_integer_range(y_type);
  const Index low = node.int_attribute("clamp_min", range.min);
  const Index high = node.int_attribute("clamp_max", range.max);
  out.clamp_min = static_cast<std::int32_t>(std::clamp(low, range.min, range.max));
  out.clamp_max = static_cast<std::int32_t>(std::clamp(high, range.min, range.max));
  if (low > high) {
    return invalid_model("clamp_min is at most clamp_max, found " + std::to_string(low) + " and " +
                         std::to_string(high));
  }
  return {};
}

Status ProductScratch::reserve(Index rows, Index columns) {
  ASSAY_TRY(acc.reserve(rows * columns * Index{sizeof(std::int32_t)}));
  return row_sums.reserve(rows * Index{sizeof(std::int32_t)});
}

void multiply_requantize(const Product& product, const Requantize& requantize, const ProductRows& rows,
                         const ProductOutput& output, ProductScratch& scratch) {
  multiply(product, rows, {.c = scratch.acc.as<std::int32_t>(), .stride = product.b.n});
  kernels::requantize(requantize.kernel, {.rows = rows.count,
                                          .columns = product.b.n,
                                          .acc = scratch.acc.as<std::int32_t>(),
                                          .acc_stride = product.b.n,
                                          .column_offset = product.correction.column_offset.data(),
                                          .row_sum = sum_rows(product, rows, scratch),
                                          .b_zero_point = data_or_null(product.correction.b_zero_points),
                                          .scale = requantize.to.scales.data(),
                                          .y_zero_point = requantize.to.y_zero_point,
                                          .clamp_min = requantize.to.clamp_min,
                                          .clamp_max = requantize.to.clamp_max,
                                          .y_signed = requantize.to.y_signed,
                                          .y = output.y,
                                          .y_row_stride_bytes = output.row_stride,
                                          .y_column_stride_bytes = output.column_stride});
}

void multiply_correct(const Product& product, std::span<const std::int32_t> a_zero_points, const ProductRows& rows,
                      const ProductOutput& output, ProductScratch& scratch) {
  const bool per_row = !a_zero_points.empty();
  if (!per_row && product.correction.b_zero_points.empty() && output.column_stride == 1) {
    // Nothing depends on the row: the sums start at the correction.
    return multiply(product, rows,
                    {.c = static_cast<std::int32_t*>(output.y),
                     .stride = output.row_stride,
                     .column_start = product.correction.column_offset.data()});
  }
  multiply(product, rows, {.c = scratch.acc.as<std::int32_t>(), .stride = product.b.n});
  kernels::correct({.rows = rows.count,
                    .columns = product.b.n,
                    .acc = scratch.acc.as<std::int32_t>(),
                    .acc_stride = product.b.n,
                    .column_offset = product.correction.column_offset.data(),
                    .row_sum = sum_rows(product, rows, scratch),
                    .b_zero_point = data_or_null(product.correction.b_zero_points),
                    .row_zero_point = per_row ? a_zero_points.data() : nullptr,
                    .column_sum = per_row ? product.b.column_sums.data() : nullptr,
                    .k = product.b.k,
                    .out = static_cast<std::int32_t*>(output.y),
                    .out_row_stride = output.row_stride,
                    .out_column_stride = output.column_stride});
}

Index product_block_rows(Index rows, Index n, int threads) {
  const Index cached = std::max(kRowGranule, kBlockElements / std::max(n, Index{1}));
  const Index share = (rows + threads - 1) / threads;
  const Index wanted = std::min(cached, share);
  return std::max(kRowGranule, (wanted + kRowGranule - 1) / kRowGranule * kRowGranule);
}

KernelInfo product_kernel_info(const kernels::GemmChoice& choice, const Profile& profile) {
  KernelInfo info;
  info.kernel = choice.kernel->name;
  info.isa = isa_name(profile.isa);
  info.arithmetic = arithmetic_name(choice.kernel->arithmetic);
  info.native = choice.native;
  return info;
}

}  // namespace assay::runtime
