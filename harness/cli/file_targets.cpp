// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/file_targets.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/api/model.h"
#include "harness/cli/flags.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// One file under two names, or a file that is there already in a folder.
bool overlaps(const std::string& written, const std::string& other) {
  if (canonical(other) == canonical(written)) {
    return true;
  }
  std::error_code code;
  if (fs::is_directory(other, code)) {
    const std::string folder = canonical(other);
    return fs::is_regular_file(written, code) && canonical(written).starts_with(folder + "/");
  }
  return fs::equivalent(other, written, code) && !code;
}

}  // namespace

Status check_apart(std::span<const NamedFile> written, std::vector<NamedFile> others) {
  for (const NamedFile& own : written) {
    for (const NamedFile& other : others) {
      if (!own.path.empty() && !other.path.empty() && overlaps(own.path, other.path)) {
        return invalid_argument(fmt::format("{} {}: this is the file of {} ({}); it needs one of its own", own.what,
                                            own.path, other.what, other.path));
      }
    }
    others.push_back(own);
  }
  return {};
}

Status check_json_apart(const std::string& json, const std::vector<std::string>& read) {
  std::vector<NamedFile> files;
  for (const std::string& path : read) {
    std::error_code code;
    files.push_back({"what is read", fs::is_directory(path, code) ? path + "/results.json" : path});
  }
  const NamedFile written{"--json", json};
  return check_apart(std::span(&written, 1), std::move(files));
}

std::vector<NamedFile> external_files_of(const std::string& what, const std::string& path) {
  std::vector<NamedFile> files;
  const fs::path folder = fs::path(path).parent_path();
  for (const std::string& file : api::external_data_files(path)) {
    files.push_back({fmt::format("the external data of {}", what), (folder / file).string()});
  }
  return files;
}

std::vector<NamedFile> model_files(const std::string& what, const std::string& path) {
  std::vector<NamedFile> files = external_files_of(what, path);
  files.insert(files.begin(), {what, path});
  return files;
}

NamedFile argument_file(const std::string& flag, const std::string& argument) {
  const std::size_t equals = argument.rfind('=');
  std::error_code code;
  return {flag, equals == std::string::npos || std::filesystem::exists(argument, code) ? argument
                                                                                       : argument.substr(equals + 1)};
}

}  // namespace assay::cli
