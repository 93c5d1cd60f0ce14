// SPDX-License-Identifier: Apache-2.0
// numpy's .npz: a zip archive with one .npy for each array.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ir/tensor.h"
#include "harness/spec/data/byte_reader.h"

namespace assay::spec {

// Names of the arrays, without ".npy", in the archive's order. Messages begin with the path.
Result<std::vector<std::string>> npz_keys(const std::string& path);

// One array; an empty key stands for the only one. An unknown key is an error that lists the known ones.
Result<Tensor> load_npz(const std::string& path, const std::string& key);

// The bytes of one array's .npy, from its beginning. Errors as load_npz's.
Result<std::unique_ptr<ByteReader>> read_npz(const std::string& path, const std::string& key);

}  // namespace assay::spec
