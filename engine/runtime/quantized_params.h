// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of quantized operators, read from their operands and checked. `what` names the operand in
// messages. Read at every run: they may be computed, and are small.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "engine/ir/tensor.h"
#include "engine/runtime/operator.h"

namespace assay::runtime {

// "x is int8 or uint8, found float32" as an error, unless it is.
Status expect_8bit(const Tensor& tensor, const std::string& what);
Status expect_dtype(const Tensor& tensor, DType dtype, const std::string& what);

// float32, one element.
Result<float> read_scale(const Tensor& tensor, const std::string& what);
// One element of type `dtype`; an omitted operand is 0.
Result<std::int32_t> read_zero_point(const Tensor& tensor, DType dtype, const std::string& what);

// The list that they fill has memory of its own, a std::vector that an operator keeps, or is a BlockVector of one run.

// int4, uint4, int8, uint8, int16, uint16 or int32 elements as int32, as many as the tensor has.
void widen_integers(const Tensor& tensor, std::span<std::int32_t> out);
template <typename List>
void read_int32s(const Tensor& tensor, List& out) {
  out.resize(static_cast<std::size_t>(tensor.size()));
  widen_integers(tensor, out);
}

// One element, or one per channel in a 1-D tensor; always `channels` values.
Status expect_channels(const Tensor& tensor, Index channels, const std::string& what);
template <typename List>
Status read_scales(const Tensor& tensor, Index channels, const std::string& what, List& out) {
  ASSAY_TRY(expect_dtype(tensor, DType::kFloat32, what));
  ASSAY_TRY(expect_channels(tensor, channels, what));
  const auto data = tensor.data<float>();
  out.assign(data.begin(), data.end());
  out.resize(static_cast<std::size_t>(channels), out.empty() ? 0.0F : out.front());
  return {};
}
template <typename List>
Status read_zero_points(const Tensor& tensor, DType dtype, Index channels, const std::string& what, List& out) {
  out.clear();
  if (!tensor.empty()) {
    ASSAY_TRY(expect_dtype(tensor, dtype, what));
    ASSAY_TRY(expect_channels(tensor, channels, what));
    read_int32s(tensor, out);
  }
  out.resize(static_cast<std::size_t>(channels), out.empty() ? 0 : out.front());
  return {};
}

// The type of the first of these inputs (which all have the same one) that the graph knows before running.
std::optional<DType> known_dtype(const PrepareContext& context, std::initializer_list<std::size_t> inputs);

}  // namespace assay::runtime
