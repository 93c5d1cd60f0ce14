// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/values.h"

#include <fmt/format.h>

#include "harness/spec/data/element_value.h"
#include "harness/spec/nearest.h"

namespace assay::spec {
namespace {

// Recursion is bounded by the depth that Document allows.
Status collect(const Element& element, std::size_t depth, const Shape& shape, std::vector<const Json*>& elements) {
  const Json& json = element.json();
  if (depth == shape.size()) {
    if (!json.is_number() && !json.is_boolean()) {
      return element.error(fmt::format("expected a number, found {}",
                                       json.is_array() ? "a list: rows differ in depth" : shortened(json.dump())));
    }
    elements.push_back(&json);
    return {};
  }
  if (!json.is_array()) {
    return element.error(fmt::format("expected a list, found {}: rows differ in depth", shortened(json.dump())));
  }
  if (static_cast<Index>(json.size()) != shape[depth]) {
    return element.error(fmt::format("rows differ in length: expected {} items as in the first row, found {}",
                                     shape[depth], json.size()));
  }
  if (depth + 1 == shape.size()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (!json[i].is_number() && !json[i].is_boolean()) {
        return collect(element.item(i), depth + 1, shape, elements);
      }
      elements.push_back(&json[i]);
    }
    return {};
  }
  for (std::size_t i = 0; i < json.size(); ++i) {
    ASSAY_TRY(collect(element.item(i), depth + 1, shape, elements));
  }
  return {};
}

// Element number `position` for a message: the item at that place of the nested lists.
Element element_at(const Element& element, const JsonValues& values, Index position) {
  if (!element.json().is_array()) {
    return element;
  }
  if (!values.nested_shape) {
    return element.item(static_cast<std::size_t>(position));
  }
  Element item = element;
  Index stride = static_cast<Index>(values.elements.size());
  for (const Index dim : *values.nested_shape) {
    stride /= dim;
    item = item.item(static_cast<std::size_t>(position / stride));
    position %= stride;
  }
  return item;
}

}  // namespace

Result<JsonValues> read_values(const Element& element) {
  JsonValues values;
  Shape shape;
  for (const Json* level = &element.json(); level->is_array(); level = &level->front()) {
    shape.push_back(static_cast<Index>(level->size()));
    if (level->empty()) {
      break;
    }
  }
  ASSAY_TRY(collect(element, 0, shape, values.elements));
  if (shape.size() > 1) {
    values.nested_shape = std::move(shape);
  }
  return values;
}

Result<Tensor> tensor_of_values(const Element& element, const JsonValues& values, DType dtype, const Shape& shape) {
  ASSAY_ASSIGN(Tensor tensor, Tensor::allocate(dtype, shape));
  if (tensor.size() != static_cast<Index>(values.elements.size())) {
    return element.error(fmt::format("{} values do not fill the shape {}", values.elements.size(), shape_text(shape)));
  }
  for (Index i = 0; i < tensor.size(); ++i) {
    const std::string reason = store(tensor, i, number_of(*values.elements[static_cast<std::size_t>(i)]));
    if (!reason.empty()) {
      return element_at(element, values, i).error(reason);
    }
  }
  return tensor;
}

}  // namespace assay::spec
