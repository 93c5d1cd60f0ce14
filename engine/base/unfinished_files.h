// SPDX-License-Identifier: Apache-2.0
// The files that are being written under names of their own, so that a signal's handler can take them away.
#pragma once

#include <cstddef>
#include <string>

namespace assay {

// Notes a path while it lives. Paths beyond what fits (64 at a time, 4095 bytes each) are not noted: they stay behind
// when a signal ends the process.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(const std::string& path);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  ~UnfinishedFile();

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t slot_ = kNone;
};

// Removes what is noted. Calls nothing that a signal's handler may not.
void remove_unfinished_files();

}  // namespace assay
