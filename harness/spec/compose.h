// SPDX-License-Identifier: Apache-2.0
// Case files that are put together from others: defaults of folders, `includes`, and shared `sets` brought in by `use`.
// docs/case-language.md states the rules.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/spec/document.h"

namespace assay::spec {

// A file whose name begins with this is a part of cases, not a case.
inline constexpr char kPartPrefix = '_';
inline constexpr const char* kFolderDefaults = "_folder.json";

// What several cases of one run share: every part is read once.
class Composer {
 public:
  // The document as one without `includes`, `sets` and `use`; the very document where it has none of them and no
  // folder above has defaults. `with_folders`: take the defaults of the folders that the file stands in.
  // Errors are "FILE:LINE:COLUMN: message", all that were found.
  struct Composed {
    std::shared_ptr<const Document> document;
    std::vector<std::string> errors;
  };
  Composed compose(const std::shared_ptr<const Document>& document, bool with_folders);

 private:
  using DocumentResult = Result<std::shared_ptr<const Document>>;
  const DocumentResult& read(const std::string& path);
  // The defaults for a folder, outermost first.
  const std::vector<std::string>& defaults_of(const std::string& folder);

  std::map<std::string, DocumentResult> documents_;
  std::map<std::string, std::vector<std::string>> defaults_;
};

}  // namespace assay::spec
