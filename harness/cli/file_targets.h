// SPDX-License-Identifier: Apache-2.0
// Files that a command line names, where the writing of one could undo another.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace assay::cli {

struct NamedFile {
  std::string what;  // "--report", "the model"
  std::string path;  // "": none
};

// Every `written` file needs a name of its own: none of `others`, none of those written before it. Links and relative
// paths are followed.
Status check_apart(std::span<const NamedFile> written, std::vector<NamedFile> others);

// The file of "NAME=FILE", also where the argument is a file's name alone.
NamedFile argument_file(const std::string& flag, const std::string& argument);

}  // namespace assay::cli
