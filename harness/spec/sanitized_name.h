// SPDX-License-Identifier: Apache-2.0
// Names of values as names of files.
#pragma once

#include <string>

namespace assay::spec {

// Characters other than ASCII letters, digits, `_`, `.` and `-` become `_`.
std::string sanitized_name(const std::string& name);

}  // namespace assay::spec
