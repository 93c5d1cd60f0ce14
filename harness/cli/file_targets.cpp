// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/file_targets.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/cli/flags.h"

namespace assay::cli {

Status check_apart(std::span<const NamedFile> written, std::vector<NamedFile> others) {
  for (const NamedFile& own : written) {
    for (const NamedFile& other : others) {
      if (!own.path.empty() && !other.path.empty() && canonical(other.path) == canonical(own.path)) {
        return invalid_argument(fmt::format("{} {}: this is the file of {} ({}); it needs one of its own", own.what,
                                            own.path, other.what, other.path));
      }
    }
    others.push_back(own);
  }
  return {};
}

NamedFile argument_file(const std::string& flag, const std::string& argument) {
  const std::size_t equals = argument.rfind('=');
  std::error_code code;
  return {flag, equals == std::string::npos || std::filesystem::exists(argument, code) ? argument
                                                                                       : argument.substr(equals + 1)};
}

}  // namespace assay::cli
