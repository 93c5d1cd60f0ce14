// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data_source.h"

#include <fmt/format.h>

#include "harness/spec/data/file_source.h"
#include "harness/spec/data/generate.h"
#include "harness/spec/data/target_shape.h"
#include "harness/spec/data/values.h"

namespace assay::spec {
namespace {

Result<Tensor> from_values(const DataSource& source, const Element& element, const Target& target) {
  ASSAY_ASSIGN(const JsonValues values, read_values(element));
  const auto count = static_cast<Index>(values.elements.size());
  ASSAY_ASSIGN(const Shape shape, values.nested_shape ? natural_shape(source, target, *values.nested_shape, false)
                                                      : counted_shape(source, target, count));
  const DType dtype = target.dtype == DType::kUndefined ? DType::kFloat32 : target.dtype;
  Result<Tensor> tensor = tensor_of_values(element, values, dtype, shape);
  if (!tensor.ok()) {
    // "FILE:LINE:COLUMN: reason" with the target's name in between.
    std::string message = tensor.error().message;
    const std::size_t position_end = message.find(": ");
    return Error{tensor.error().kind, message.insert(position_end + 2, target.what + ": ")};
  }
  return tensor;
}

}  // namespace

Result<SourceTensor> make_tensor(const DataSource& source, const Target& target) {
  if (is_generated(source)) {
    return generate(source, target, 0);
  }
  SourceTensor result;
  if (source.element.json().is_array()) {
    ASSAY_ASSIGN(result.tensor, from_values(source, source.element, target));
    return result;
  }
  if (const Element values = source.element.member("values"); values.exists()) {
    ASSAY_ASSIGN(result.tensor, from_values(source, values, target));
    return result;
  }
  ASSAY_ASSIGN(Tensor loaded, load_file_source(source, target));
  ASSAY_ASSIGN(Tensor typed, of_target_type(source, target, std::move(loaded)));
  ASSAY_ASSIGN(const Shape shape, natural_shape(source, target, typed.shape(), true));
  result.tensor = shape == typed.shape() ? std::move(typed) : typed.reshaped(shape);
  return result;
}

}  // namespace assay::spec
