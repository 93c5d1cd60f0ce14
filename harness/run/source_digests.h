// SPDX-License-Identifier: Apache-2.0
// What results were made of: digests of the case file and of every file that it names, so that a resumed run can tell
// whether they are still what they were.
#pragma once

#include <map>
#include <string>

#include "harness/spec/case.h"
#include "harness/spec/expand.h"
#include "reports/record.h"

namespace assay::run {

class SourceDigests {
 public:
  // {file: 16 hex digits of its FNV-1a}, the case file first: the model with its external data, data files, the files
  // of golden folders, and range files, also one that only --set names. A file that cannot be read is "".
  reports::Json of(const spec::Case& test_case, const spec::Configuration& configuration);

 private:
  const std::string& of_file(const std::string& path);
  void add(const std::string& path, reports::Json& digests);
  std::map<std::string, std::string> known_;  // by path: a file is read once
  std::map<const spec::Case*, reports::Json> of_case_;
};

// "" if they are the same, else what has changed in one sentence. Files are told by their order, not by their names:
// those depend on where the run was started.
std::string changed_source(const reports::Json& then, const reports::Json& now);

}  // namespace assay::run
