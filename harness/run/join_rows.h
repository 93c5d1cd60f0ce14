// SPDX-License-Identifier: Apache-2.0
// Batches of an output put together.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/tensor.h"

namespace assay::run {

// The parts one behind the other along the first axis; there is at least one, and none is a scalar. Errors name the
// output: other types, or shapes that differ in another axis.
Result<Tensor> join_rows(const std::string& name, const std::vector<Tensor>& parts);

}  // namespace assay::run
