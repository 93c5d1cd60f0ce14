// SPDX-License-Identifier: Apache-2.0
// A folder for files on their way between a run's processes. Whoever needs it makes it; it goes with its owner.
#pragma once

#include <string>

namespace assay::run {

class ScratchFolder {
 public:
  // `output_folder`/scratch, or one in the folder for temporary files where that is "". What an earlier run that was
  // killed has left at this path is removed.
  explicit ScratchFolder(const std::string& output_folder);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace assay::run
