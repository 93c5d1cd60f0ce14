// SPDX-License-Identifier: Apache-2.0
// The one way in which whole files are read.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "engine/base/result.h"

namespace assay {

// Whether there is a regular file at `path`; the errors are those of read_file.
Status check_regular_file(const std::string& path);

// All bytes of a regular file. Folders, devices, FIFOs and sockets are refused before anything is read of them: they
// may have no end. Errors name the path, "PATH: cannot be read: REASON": kIo; kUnsupported for more than `most_bytes`.
Result<std::string> read_file(const std::string& path,
                              std::uintmax_t most_bytes = std::numeric_limits<std::uintmax_t>::max());

}  // namespace assay
