// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data_source.h"

#include <utility>

#include "harness/spec/data/file_source.h"
#include "harness/spec/data/generate.h"
#include "harness/spec/data/target_shape.h"
#include "harness/spec/data/values.h"

namespace assay::spec {
namespace {

// "FILE:LINE:COLUMN: reason" with the target's name in between.
Error about(const Target& target, Error error) {
  error.message.insert(error.message.find(": ") + 2, target.what + ": ");
  return error;
}

Result<Tensor> from_values(const DataSource& source, const Element& element, const Target& target) {
  const Result<JsonValues> read = read_values(element);
  if (!read.ok()) {
    return about(target, read.error());
  }
  const JsonValues& values = read.value();
  const auto count = static_cast<Index>(values.elements.size());
  ASSAY_ASSIGN(const Shape shape, values.nested_shape ? natural_shape(source, target, *values.nested_shape, false)
                                                      : counted_shape(source, target, count));
  const DType dtype = target.dtype == DType::kUndefined ? DType::kFloat32 : target.dtype;
  Result<Tensor> tensor = tensor_of_values(element, values, dtype, shape);
  return tensor.ok() ? std::move(tensor) : Result<Tensor>(about(target, tensor.error()));
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
