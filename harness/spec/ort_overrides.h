// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's TensorQuantOverrides as a value of quantizer.overrides.
#pragma once

#include <optional>

#include "harness/spec/document.h"

namespace assay::spec {

// {tensor: [{"quant_type", "scale", "zero_point", "rmin", "rmax", "symmetric", "reduce_range", "axis"}, ...]}: one
// entry, or one per channel. Errors name the tensor and the entry.
Result<Json> overrides_from_ort(const Json& value);

// "int8" for "QInt8" and "QuantType.QInt8"; nothing for another word.
std::optional<Json> ort_type(const Json& value);

}  // namespace assay::spec
