// SPDX-License-Identifier: Apache-2.0
// Tensor shapes: dimensions in elements, outermost first. A scalar has no dimensions and one element.
#pragma once

#include <string>

#include "engine/base/dtype.h"
#include "engine/base/inline_vector.h"
#include "engine/base/result.h"

namespace assay {

// One number or two per dimension: axes, strides, pads. As many as networks of the usual ranks have lie in the list.
using IndexList = InlineVector<Index, 8>;
using Shape = IndexList;

// No tensor may have more elements than this; larger ones are refused before memory is asked for.
inline constexpr Index kMaxElements = Index{1} << 33;

// The product of the dimensions. Errors: a negative dimension (kInvalidArgument), a product
// above kMaxElements (kUnsupported), also where another dimension is 0: strides are products of dimensions.
Result<Index> element_count(const Shape& shape);

// "[1,3,224,224]"
std::string shape_text(const Shape& shape);

// ONNX multidirectional broadcasting (numpy rules). An error names both shapes.
Result<Shape> broadcast_shape(const Shape& a, const Shape& b);

// Maps axis in [-rank, rank) to [0, rank); `what` names the operand in the message.
Result<Index> normalize_axis(Index axis, std::size_t rank, const std::string& what);

}  // namespace assay
