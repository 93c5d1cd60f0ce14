// SPDX-License-Identifier: Apache-2.0
// The one way in which files are written: whole, or not at all.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace assay {

// Writes the bytes to a new file beside `path` and renames it to `path`. On failure the new file is removed and what
// was at `path` stays as it was; a file that may not be written is not replaced, one that is keeps its permissions, and
// a symbolic link is followed. A device, a FIFO and what stdout or stderr lead to cannot be replaced: they are written
// as they are.
// Errors name the path: kInvalidArgument (an empty one), kIo.
Status replace_file(const std::string& path, std::string_view bytes);
// The same with the bytes in pieces, one behind the other.
Status replace_file(const std::string& path, std::span<const std::string_view> pieces);

// The same for bytes that come piece by piece: `produce` is called once, with what takes a piece.
using ByteSink = std::function<void(std::string_view)>;
Status replace_file(const std::string& path, const std::function<void(const ByteSink&)>& produce);

// The same in steps, for several files that are written at once. A file that is never committed is as if it had not
// been begun. Where a write fails, the new file is removed at once, and commit says why.
class FileReplacement {
 public:
  static Result<FileReplacement> begin(const std::string& path);
  FileReplacement(FileReplacement&&) noexcept;
  FileReplacement& operator=(FileReplacement&&) noexcept;
  ~FileReplacement();

  void write(std::string_view bytes);
  // Once, last.
  Status commit();

 private:
  struct State;
  FileReplacement();
  std::unique_ptr<State> state_;
};

// Whether replace_file could begin: `path` is no folder, and a file can be made beside it. Changes nothing that is
// there.
Status check_replaceable(const std::string& path);

// Removes from a folder the new files of replacements whose process has ended before it could (by SIGKILL). Those that
// a process still writes are locked and stay, as does everything of another name.
void remove_abandoned_parts(const std::string& folder);

}  // namespace assay
