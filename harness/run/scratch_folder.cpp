// SPDX-License-Identifier: Apache-2.0
#include "harness/run/scratch_folder.h"

#include <unistd.h>

#include <filesystem>

namespace assay::run {
namespace {

namespace fs = std::filesystem;

std::string temporary_path() {
  std::error_code code;
  const fs::path folder = fs::temp_directory_path(code);
  return (code ? fs::path("/tmp") : folder) / ("assay-" + std::to_string(::getpid()));
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& output_folder)
    : path_(output_folder.empty() ? temporary_path() : (fs::path(output_folder) / "scratch").string()) {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace assay::run
