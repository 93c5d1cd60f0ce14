// SPDX-License-Identifier: Apache-2.0
// Reads .npy files of format 1.0 to 3.0: C order, little endian, the types that a Tensor has.
#pragma once

#include <string>

#include "engine/ir/tensor.h"

namespace assay::test {

Result<Tensor> read_npy(const std::string& path);

}  // namespace assay::test
