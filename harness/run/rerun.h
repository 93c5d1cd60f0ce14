// SPDX-License-Identifier: Apache-2.0
// The command line that runs one variant again.
#pragma once

#include <string>
#include <vector>

namespace assay::run {

// A word as a POSIX shell reads it back: bare where that is safe, else in single quotes.
std::string shell_quoted(const std::string& word);

// assay run CASE_FILE [--set ...] --filter 'NAME'
std::string rerun_line(const std::string& case_file, const std::vector<std::string>& settings, const std::string& name);

}  // namespace assay::run
