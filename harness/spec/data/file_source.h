// SPDX-License-Identifier: Apache-2.0
// Data sources that are files: npy, npz, pb.
#pragma once

#include <optional>

#include "harness/spec/data/array_stream.h"
#include "harness/spec/data_source.h"

namespace assay::spec {

// The tensor as the file has it, after "scale" and "offset": float32(value * scale + offset), computed in double and
// rounded once. Errors begin with the source's position.
Result<Tensor> load_file_source(const DataSource& source, const Target& target);

// The same file, to be read row by row; nothing where its form (pb) has no rows, or where the array has no dimensions.
// Rows are as the file has them: converted() and of_target_type() make of them what the case takes.
Result<std::optional<ArrayStream>> open_file_source(const DataSource& source, const Target& target);

// After "scale" and "offset".
Result<Tensor> converted(const DataSource& source, Tensor tensor);

// The tensor if its type is the target's; an error that names both if not. Labels (int64) may be of any integer type.
Result<Tensor> of_target_type(const DataSource& source, const Target& target, Tensor tensor);

}  // namespace assay::spec
