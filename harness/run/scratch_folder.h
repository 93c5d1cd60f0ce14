// SPDX-License-Identifier: Apache-2.0
// A folder for files on their way between a run's processes. It goes with its owner.
#pragma once

#include <string>

namespace assay::run {

class ScratchFolder {
 public:
  // A new folder in `output_folder`, which is this run's alone, or in the folder for temporary files where that is "";
  // nobody else may read it. What earlier runs that were killed have left in `output_folder` is removed.
  explicit ScratchFolder(const std::string& output_folder);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  // A path at which there is nothing, where the folder could not be made: whoever writes there says why.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace assay::run
