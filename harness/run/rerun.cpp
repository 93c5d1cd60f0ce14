// SPDX-License-Identifier: Apache-2.0
#include "harness/run/rerun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace assay::run {

std::string shell_quoted(const std::string& word) {
  const auto safe = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_@%+=:,./-").find(c) != std::string::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, safe)) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string rerun_line(const Rerun& rerun, const std::string& case_file, const std::string& name) {
  // A path or setting that begins with "-" would read as a flag.
  const auto as_path = [](const std::string& path) { return shell_quoted(path.starts_with('-') ? "./" + path : path); };
  std::string line = shell_quoted(rerun.program) + " run " +
                     (rerun.onnx_tests.empty() ? as_path(case_file) : "--onnx-tests " + as_path(rerun.onnx_tests));
  for (const std::string& setting : rerun.settings) {
    line += " --set " + shell_quoted(setting);
  }
  if (rerun.timeout_s) {
    line += fmt::format(" --timeout {}", *rerun.timeout_s);
  }
  if (rerun.memory_limit_mib > 0) {
    line += fmt::format(" --memory-limit {}", rerun.memory_limit_mib);
  }
  return line + " --filter " + shell_quoted(name);
}

}  // namespace assay::run
