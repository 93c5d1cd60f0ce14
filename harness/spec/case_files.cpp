// SPDX-License-Identifier: Apache-2.0
// Finding and reading case files.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "harness/spec/case_parser.h"
#include "harness/spec/schema_check.h"

namespace assay::spec {
namespace {

namespace fs = std::filesystem;

CaseOrErrors from_document(const Result<std::shared_ptr<const Document>>& document) {
  if (!document.ok()) {
    return {std::nullopt, {document.error().message}};
  }
  std::vector<std::string> violations = check_schema(document.value());
  if (!violations.empty()) {
    return {std::nullopt, std::move(violations)};
  }
  Errors errors;
  Case parsed = parse_document(Element(document.value()), errors);
  if (!errors.messages().empty()) {
    return {std::nullopt, errors.messages()};
  }
  return {std::move(parsed), {}};
}

// Models, data and what an earlier run wrote.
bool holds_no_cases(const fs::path& folder) {
  const std::string name = folder.filename().string();
  std::error_code code;
  return name == "data" || name == "models" || name.starts_with('.') || fs::exists(folder / "results.jsonl", code) ||
         fs::exists(folder / "verdict.json", code);
}

// The *.json of a folder and its sub-folders, sorted.
void search_folder(const fs::path& folder, std::vector<std::string>& files, std::vector<std::string>& errors) {
  std::error_code code;
  fs::recursive_directory_iterator entry(folder, code);
  if (code) {
    errors.push_back(fmt::format("{}: cannot be searched: {}", folder.string(), code.message()));
    return;
  }
  std::vector<std::string> found;
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(code)) {
    if (entry->is_directory(code) && holds_no_cases(entry->path())) {
      entry.disable_recursion_pending();
    } else if (entry->path().extension() == ".json" && entry->is_regular_file(code)) {
      found.push_back(entry->path().string());
    }
  }
  if (code) {
    errors.push_back(fmt::format("{}: cannot be searched: {}", folder.string(), code.message()));
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

std::vector<std::string> find_files(const std::vector<std::string>& paths, std::vector<std::string>& errors) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code code;
    if (fs::is_directory(path, code)) {
      search_folder(path, files, errors);
    } else if (fs::path(path).extension() == ".onnx") {
      errors.push_back(
          fmt::format("{}: this is a model, not a case; a case names it: {{\"name\": \"mine\", \"model\": {{\"path\": "
                      "\"{}\"}}, ...}}",
                      path, path));
    } else {
      files.push_back(path);
    }
  }
  return files;
}

}  // namespace

CaseOrErrors parse_case(std::string path, std::string text) {
  return from_document(Document::parse(std::move(path), std::move(text)));
}

CaseOrErrors load_case(const std::string& path) { return from_document(Document::read(path)); }

CaseSet load_cases(const std::vector<std::string>& paths) {
  CaseSet set;
  std::set<std::string> seen;
  std::map<std::string, std::string> file_of_name;
  for (const std::string& file : find_files(paths, set.errors)) {
    std::error_code code;
    const fs::path canonical = fs::weakly_canonical(file, code);
    if (!seen.insert(code ? file : canonical.string()).second) {
      continue;
    }
    CaseOrErrors loaded = load_case(file);
    set.errors.insert(set.errors.end(), loaded.errors.begin(), loaded.errors.end());
    if (!loaded.value) {
      continue;
    }
    const auto [other, fresh] = file_of_name.emplace(loaded.value->name, file);
    if (!fresh) {
      const Element name = loaded.value->element.member("name");
      set.errors.push_back(
          name.error(fmt::format("case '{}' is also in {}", loaded.value->name, other->second)).message);
      continue;
    }
    set.cases.push_back(std::move(*loaded.value));
  }
  return set;
}

}  // namespace assay::spec
