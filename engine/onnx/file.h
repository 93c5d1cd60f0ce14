// SPDX-License-Identifier: Apache-2.0
// Whole files as bytes.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace assay::onnx {

// Errors: kIo (missing, a directory, unreadable), kUnsupported (larger than kMaxModelBytes).
Result<std::string> read_file(const std::string& path);

// Replaces the file. Error kIo, also where the disk is full.
Status write_file(const std::string& path, std::string_view bytes);

}  // namespace assay::onnx
