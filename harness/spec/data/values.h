// SPDX-License-Identifier: Apache-2.0
// Numbers written out in JSON, flat or nested.
#pragma once

#include <optional>
#include <vector>

#include "engine/ir/tensor.h"
#include "harness/spec/document.h"

namespace assay::spec {

struct JsonValues {
  std::vector<const Json*> elements;  // row-major; they live as long as the document
  std::optional<Shape> nested_shape;  // set where the list holds lists; a number alone or a flat list has none
};

// Errors: rows of different lengths, items that are no numbers, each at its position.
Result<JsonValues> read_values(const Element& element);

// Fills a tensor of this type and shape; the number of values must be right. Errors at the value that does not fit.
Result<Tensor> tensor_of_values(const Element& element, const JsonValues& values, DType dtype, const Shape& shape);

}  // namespace assay::spec
