// SPDX-License-Identifier: Apache-2.0
// Data sources that are files: npy, npz, pb.
#pragma once

#include "harness/spec/data_source.h"

namespace assay::spec {

// The tensor as the file has it, after "scale" and "offset": float32(value * scale + offset), computed in double and
// rounded once. Errors begin with the source's position.
Result<Tensor> load_file_source(const DataSource& source, const Target& target);

// The tensor if its type is the target's; an error that names both if not. Labels (int64) may be of any integer type.
Result<Tensor> of_target_type(const DataSource& source, const Target& target, Tensor tensor);

}  // namespace assay::spec
