// SPDX-License-Identifier: Apache-2.0
// The folders that tests read.
#pragma once

#include <filesystem>

namespace assay::test {

// The root of the source tree.
std::filesystem::path source_folder();

// A folder of recorded ONNX Runtime results besides the copy in tests/probes; empty where none was configured.
std::filesystem::path outside_probes_folder();

}  // namespace assay::test
