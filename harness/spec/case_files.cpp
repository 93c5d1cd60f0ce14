// SPDX-License-Identifier: Apache-2.0
// Finding and reading case files.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>

#include <fmt/format.h>

#include "harness/spec/case_parser.h"
#include "harness/spec/compose.h"
#include "harness/spec/schema_check.h"

namespace assay::spec {
namespace {

namespace fs = std::filesystem;

// A list of cases must not copy them as it grows.
static_assert(std::is_nothrow_move_constructible_v<Case>);

CaseOrErrors from_document(const Result<std::shared_ptr<const Document>>& read, Composer& composer, bool with_folders) {
  if (!read.ok()) {
    return {std::nullopt, {read.error().message}};
  }
  Composer::Composed composed = composer.compose(read.value(), with_folders);
  if (!composed.errors.empty()) {
    return {std::nullopt, std::move(composed.errors)};
  }
  std::vector<std::string> violations = check_schema(composed.document);
  if (!violations.empty()) {
    return {std::nullopt, std::move(violations)};
  }
  Errors errors;
  Case parsed = parse_document(Element(composed.document), errors);
  if (!errors.messages().empty()) {
    return {std::nullopt, errors.messages()};
  }
  return {std::move(parsed), {}};
}

std::string_view file_name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// What cases share is not a case.
bool is_part(std::string_view path) { return file_name_of(path).starts_with(kPartPrefix); }

bool has_case_name(std::string_view path) {
  constexpr std::string_view kExtension = ".json";
  const std::string_view name = file_name_of(path);
  return name.size() > kExtension.size() && name.ends_with(kExtension) && !is_part(path);
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
    std::error_code dangling;
    if (entry->is_directory(dangling)) {
      if (holds_no_cases(entry->path())) {
        entry.disable_recursion_pending();
      }
    } else if (has_case_name(entry->path().native())) {
      found.push_back(entry->path().native());  // also what cannot be read: reading says why
    }
  }
  if (code) {
    errors.push_back(fmt::format("{}: cannot be searched: {}", folder.string(), code.message()));
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

// The same for two names of one file; the name itself for what cannot be read, which is a fault of its own.
std::string identity_of(const std::string& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? fmt::format("{}:{}", status.st_dev, status.st_ino) : file;
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
    } else if (is_part(path)) {
      errors.push_back(
          fmt::format("{}: a file whose name begins with '{}' is a part of cases, not a case", path, kPartPrefix));
    } else {
      files.push_back(path);
    }
  }
  return files;
}

// One for each file, in order. Threads share the files in runs of neighbours, which mostly share parts too; each reads
// parts for itself.
std::vector<CaseOrErrors> read_files(const std::vector<std::string>& files) {
  constexpr std::size_t kFewest = 256;  // files worth a thread
  const std::size_t threads =
      std::clamp<std::size_t>(files.size() / kFewest, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<CaseOrErrors> all(files.size());
  const auto read_part = [&](std::size_t part) {
    Composer composer;
    for (std::size_t i = files.size() * part / threads; i < files.size() * (part + 1) / threads; ++i) {
      all[i] = from_document(Document::read(files[i]), composer, true);
    }
  };
  std::vector<std::future<void>> others;
  for (std::size_t part = 1; part < threads; ++part) {
    others.push_back(std::async(std::launch::async, read_part, part));
  }
  read_part(0);
  for (std::future<void>& other : others) {
    other.get();
  }
  return all;
}

}  // namespace

CaseOrErrors parse_case(std::string path, std::string text) {
  Composer composer;
  return from_document(Document::parse(std::move(path), std::move(text)), composer, false);
}

CaseOrErrors load_case(const std::string& path) {
  Composer composer;
  return from_document(Document::read(path), composer, true);
}

CaseSet load_cases(const std::vector<std::string>& paths) {
  CaseSet set;
  std::vector<std::string> files = find_files(paths, set.errors);
  std::set<std::string> seen;
  std::erase_if(files, [&](const std::string& file) { return !seen.insert(identity_of(file)).second; });
  std::vector<CaseOrErrors> all = read_files(files);
  std::set<std::string> reported;
  std::map<std::string, std::string> file_of_name;
  for (std::size_t i = 0; i < files.size(); ++i) {
    CaseOrErrors& loaded = all[i];
    for (std::string& error : loaded.errors) {
      if (reported.insert(error).second) {  // a fault in a part is one of each case that shares it
        set.errors.push_back(std::move(error));
      }
    }
    if (!loaded.value) {
      continue;
    }
    const auto [other, fresh] = file_of_name.emplace(loaded.value->name, files[i]);
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
