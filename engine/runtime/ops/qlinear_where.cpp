// SPDX-License-Identifier: Apache-2.0
// QLinearWhere: X or Y by the condition, each requantized to the output's scale and zero point by way of a table:
//   z = clamp(rint(f32((x - x_zero_point) * x_scale) / z_scale) + z_zero_point)
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/runtime/ops/contributed_operators.h"
#include "engine/runtime/ops/strided.h"

namespace assay::runtime {
namespace {

struct Quantization {
  float scale = 1;
  std::int32_t zero_point = 0;
};

Result<Quantization> read_quantization(const RunContext& context, std::size_t scale, DType dtype) {
  const Tensor& s = context.input(scale);
  const Tensor& z = context.input(scale + 1);
  if (s.dtype() != DType::kFloat32 || s.size() != 1 || z.dtype() != dtype || z.size() != 1) {
    return invalid_argument("input " + std::to_string(scale) +
                            " must be a float32 scale and the next a zero point of type " +
                            std::string(dtype_name(dtype)) + ", each one element");
  }
  return Quantization{.scale = s.data<float>()[0], .zero_point = static_cast<std::int32_t>(z.to_indices()[0])};
}

// By raw byte.
using Table = std::array<std::uint8_t, 256>;

Table make_table(const Quantization& from, const Quantization& to, bool is_signed) {
  Table table{};
  const float low = is_signed ? -128.0F : 0.0F;
  const float high = is_signed ? 127.0F : 255.0F;
  for (int byte = 0; byte < 256; ++byte) {
    const int value = is_signed ? static_cast<std::int8_t>(byte) : byte;
    const float real = static_cast<float>(value - from.zero_point) * from.scale;
    const float steps = std::nearbyint(real / to.scale) + static_cast<float>(to.zero_point);
    table[static_cast<std::size_t>(byte)] = static_cast<std::uint8_t>(static_cast<int>(std::clamp(steps, low, high)));
  }
  return table;
}

Result<Tensor> qlinear_where(const RunContext& context) {
  const Tensor& condition = context.input(0);
  const Tensor& x = context.input(1);
  const Tensor& y = context.input(4);
  ASSAY_TRY(check_type(condition, "condition", {DType::kBool}));
  ASSAY_TRY(check_type(x, "X", {DType::kInt8, DType::kUint8}));
  if (y.dtype() != x.dtype()) {
    return invalid_argument("X and Y must have one type; found " + std::string(dtype_name(x.dtype())) + " and " +
                            std::string(dtype_name(y.dtype())));
  }
  ASSAY_ASSIGN(const Quantization x_params, read_quantization(context, 2, x.dtype()));
  ASSAY_ASSIGN(const Quantization y_params, read_quantization(context, 5, x.dtype()));
  ASSAY_ASSIGN(const Quantization z_params, read_quantization(context, 7, x.dtype()));
  const bool is_signed = x.dtype() == DType::kInt8;
  const Table x_table = make_table(x_params, z_params, is_signed);
  const Table y_table = make_table(y_params, z_params, is_signed);
  ASSAY_ASSIGN(const Shape pair, broadcast_shape(x.shape(), y.shape()));
  ASSAY_ASSIGN(const Shape shape, broadcast_shape(condition.shape(), pair));
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(x.dtype(), shape));
  const std::array<Strides, 3> strides = {broadcast_strides(condition.shape(), shape),
                                          broadcast_strides(x.shape(), shape), broadcast_strides(y.shape(), shape)};
  const bool* flags = condition.data<bool>().data();
  const auto* left = reinterpret_cast<const std::uint8_t*>(x.bytes());
  const auto* right = reinterpret_cast<const std::uint8_t*>(y.bytes());
  auto* to = reinterpret_cast<std::uint8_t*>(out.mutable_bytes());
  for_each_row<3>(shape, strides, [&](const auto& offsets, Index count, const auto& steps) {
    for (Index i = 0; i < count; ++i) {
      *to++ = flags[offsets[0] + i * steps[0]] ? x_table[left[offsets[1] + i * steps[1]]]
                                               : y_table[right[offsets[2] + i * steps[2]]];
    }
  });
  return out;
}

}  // namespace

OperatorResult prepare_qlinear_where(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 9, 9));
  return make_operator(qlinear_where, "exact");
}

}  // namespace assay::runtime
