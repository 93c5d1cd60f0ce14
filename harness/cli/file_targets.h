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

// Every `written` file needs a name of its own: none of `others`, no file that lies in a folder among them, none of
// those written before it. Links of both kinds and relative paths are followed.
Status check_apart(std::span<const NamedFile> written, std::vector<NamedFile> others);

// A model's file and those of its external data. `what` is the model's: "the model".
std::vector<NamedFile> model_files(const std::string& what, const std::string& path);
// Those of its external data alone.
std::vector<NamedFile> external_files_of(const std::string& what, const std::string& path);

// `json` (a flag --json) may be none of `read`; folders among these stand for the results in them.
Status check_json_apart(const std::string& json, const std::vector<std::string>& read);

// The file of "NAME=FILE", also where the argument is a file's name alone.
NamedFile argument_file(const std::string& flag, const std::string& argument);

}  // namespace assay::cli
