// SPDX-License-Identifier: Apache-2.0
// Whole files as bytes.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace assay::onnx {

// Errors: kIo (missing, a directory, unreadable), kUnsupported (larger than kMaxModelBytes).
Result<std::string> read_file(const std::string& path);

}  // namespace assay::onnx
