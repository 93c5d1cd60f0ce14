// SPDX-License-Identifier: Apache-2.0
// Attributes that hold an element type as the number that TensorProto.DataType gives it.
#pragma once

#include <string>

#include "engine/base/dtype.h"
#include "engine/base/result.h"
#include "engine/ir/graph.h"

namespace assay::runtime {

// Errors: kUnsupported for a type that this build does not have.
Result<DType> dtype_attribute(const Node& node, const std::string& key);

}  // namespace assay::runtime
