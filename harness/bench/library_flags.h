// SPDX-License-Identifier: Apache-2.0
// Google Benchmark's flags: checked before the library sees them, because it answers a bad value by ending the process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace assay::bench {

// What the library reads from the environment (BENCHMARK_OUT and the like), as flags; variables that are not its own
// are left alone.
std::vector<std::string> environment_flags();

// The flags with assay's defaults and environment_flags() in front. Errors: a flag that is not the library's or has a
// value that it would refuse (kInvalidArgument), an output file that cannot be written (kIo).
Result<std::vector<std::string>> complete_flags(const std::vector<std::string>& flags);

// The value of the last flag with this name; a flag without one is "true".
std::optional<std::string> value_of(const std::vector<std::string>& flags, const std::string& name);

// Whether a yes-or-no flag is given and says yes, as the library reads it.
bool flag_is_on(const std::vector<std::string>& flags, const std::string& name);

}  // namespace assay::bench
