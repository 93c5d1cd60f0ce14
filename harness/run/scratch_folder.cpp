// SPDX-License-Identifier: Apache-2.0
#include "harness/run/scratch_folder.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

namespace assay::run {
namespace {

namespace fs = std::filesystem;

// Of names that nobody else gives: what is removed was made here.
constexpr std::string_view kPrefix = ".assay-scratch-";

void remove_left(const fs::path& folder) {
  std::vector<fs::path> left;
  std::error_code code;
  fs::directory_iterator entry(folder, code);
  for (const fs::directory_iterator end; !code && entry != end; entry.increment(code)) {
    std::error_code ignored;
    if (entry->path().filename().string().starts_with(kPrefix) && !entry->is_symlink(ignored)) {
      left.push_back(entry->path());
    }
  }
  for (const fs::path& path : left) {
    fs::remove_all(path, code);
  }
}

fs::path parent_of(const std::string& output_folder) {
  if (!output_folder.empty()) {
    return output_folder;
  }
  std::error_code code;
  const fs::path folder = fs::temp_directory_path(code);
  return code ? fs::path("/tmp") : folder;
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& output_folder) {
  const fs::path parent = parent_of(output_folder);
  if (!output_folder.empty()) {
    remove_left(parent);
  }
  path_ = (parent / (std::string(kPrefix) + "XXXXXX")).string();
  // Mode 0700. Where it fails the path keeps its Xs.
  (void)::mkdtemp(path_.data());
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace assay::run
