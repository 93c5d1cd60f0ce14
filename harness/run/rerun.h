// SPDX-License-Identifier: Apache-2.0
// The command line that runs one variant again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::run {

// A word as a POSIX shell reads it back: bare where that is safe, else in single quotes.
std::string shell_quoted(const std::string& word);

// What the line repeats of the command that ran the variant.
struct Rerun {
  std::string program = "assay";       // as the user calls it
  std::vector<std::string> settings;   // --set
  std::optional<double> timeout_s;     // --timeout, where it is not the default
  std::uint64_t memory_limit_mib = 0;  // --memory-limit, 0 for none
  std::string onnx_tests = {};         // --onnx-tests, in place of a case file
};

// PROGRAM run CASE_FILE|--onnx-tests DIR [--set ...] [--timeout S] [--memory-limit MIB] --filter 'NAME'
std::string rerun_line(const Rerun& rerun, const std::string& case_file, const std::string& name);

}  // namespace assay::run
