// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of quantized operators, read from their operands and checked. `what` names the operand in
// messages. Read at every run: they may be computed, and are small.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/tensor.h"
#include "engine/runtime/operator.h"

namespace assay::runtime {

// float32, one element.
Result<float> read_scale(const Tensor& tensor, const std::string& what);
// One element of type `dtype`; an omitted operand is 0.
Result<std::int32_t> read_zero_point(const Tensor& tensor, DType dtype, const std::string& what);

// One element, or one per channel in a 1-D tensor; always `channels` values.
Result<std::vector<float>> read_scales(const Tensor& tensor, Index channels, const std::string& what);
Result<std::vector<std::int32_t>> read_zero_points(const Tensor& tensor, DType dtype, Index channels,
                                                   const std::string& what);

// The type of the first of these inputs (which all have the same one) that the graph knows before running.
std::optional<DType> known_dtype(const PrepareContext& context, std::initializer_list<std::size_t> inputs);

// int8, uint8, int16, uint16 or int32 elements as int32.
std::vector<std::int32_t> to_int32s(const Tensor& tensor);

// "x is int8 or uint8, found float32" as an error, unless it is.
Status expect_8bit(const Tensor& tensor, const std::string& what);
Status expect_dtype(const Tensor& tensor, DType dtype, const std::string& what);

}  // namespace assay::runtime
