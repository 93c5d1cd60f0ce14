// SPDX-License-Identifier: Apache-2.0
// Google Benchmark's flags: checked before the library sees them, because it answers a bad value by ending the process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace assay::bench {

// The flags with assay's defaults added. Errors: a flag that is not the library's or has a value that it would refuse
// (kInvalidArgument), an output file that cannot be written (kIo).
Result<std::vector<std::string>> complete_flags(const std::vector<std::string>& flags);

// The value of the last flag with this name; a flag without one is "true".
std::optional<std::string> value_of(const std::vector<std::string>& flags, const std::string& name);

}  // namespace assay::bench
