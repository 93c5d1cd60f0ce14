// SPDX-License-Identifier: Apache-2.0
#include "harness/run/source_digests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/api/model.h"
#include "engine/base/fnv.h"
#include "engine/base/input_file.h"
#include "harness/run/output_folder.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using spec::Json;

// The keys of a case whose texts are paths, at whatever depth; in lists and maps of texts each of them.
constexpr std::array<std::string_view, 7> kPathKeys = {"path", "npy", "npz", "pb", "golden", "quantizer.ranges",
                                                       "files"};

std::string digest_of(std::string_view bytes) { return fmt::format("{:016x}", fnv1a(bytes)); }

void collect_texts(const spec::Element& element, std::vector<std::string>& paths) {
  if (element.json().is_string()) {
    paths.push_back(spec::resolve_path(element, element.json().get<std::string>()));
  }
  for (std::size_t i = 0; element.json().is_array() && i < element.size(); ++i) {
    collect_texts(element.item(i), paths);
  }
  for (const std::string& key : element.keys()) {
    if (element.member(key).json().is_string()) {
      collect_texts(element.member(key), paths);
    }
  }
}

bool holds_structures(const Json& json) {
  return std::ranges::any_of(json, [](const Json& item) { return item.is_structured(); });
}

// Recursion is bounded by the depth that Document allows. Lists of numbers are not walked.
void collect_paths(const spec::Element& element, std::vector<std::string>& paths) {
  for (std::size_t i = 0; element.json().is_array() && holds_structures(element.json()) && i < element.size(); ++i) {
    collect_paths(element.item(i), paths);
  }
  for (const std::string& key : element.keys()) {
    const spec::Element member = element.member(key);
    if (std::ranges::find(kPathKeys, key) != kPathKeys.end()) {
      collect_texts(member, paths);
    }
    collect_paths(member, paths);
  }
}

// The tensors of a golden folder, of an ONNX test or of a calibration folder, whose samples have folders of their own;
// by name.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code code;
  fs::recursive_directory_iterator entry(folder, code);
  for (const fs::recursive_directory_iterator end; !code && entry != end; entry.increment(code)) {
    if (entry.depth() > 0) {
      entry.disable_recursion_pending();
    }
    const std::string kind = entry->path().extension().string();
    std::error_code ignored;
    if ((kind == ".npy" || kind == ".npz" || kind == ".pb") && entry->is_regular_file(ignored)) {
      files.push_back(entry->path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

const std::string& SourceDigests::of_file(const std::string& path) {
  const auto [known, fresh] = known_.try_emplace(path);
  if (fresh) {
    const Result<std::string> bytes = read_file(path);
    known->second = bytes.ok() ? digest_of(bytes.value()) : "";
  }
  return known->second;
}

void SourceDigests::add(const std::string& path, Json& digests) {
  std::error_code code;
  if (fs::is_directory(path, code)) {
    for (const std::string& file : files_in(path)) {
      digests[file] = of_file(file);
    }
    return;
  }
  digests[path] = of_file(path);
}

Json SourceDigests::of(const spec::Case& test_case, const spec::Configuration& configuration) {
  const auto [of_case, fresh] = of_case_.try_emplace(&test_case);
  if (fresh) {
    // The text that was parsed, not what the file holds by now.
    of_case->second = Json::object();
    of_case->second[test_case.path] = digest_of(test_case.element.document().text());
    for (const spec::Document* part : test_case.element.document().sources()) {
      of_case->second[part->path()] = digest_of(part->text());
    }
    std::vector<std::string> paths = {test_case.test_data, test_case.calibration_data};
    std::erase(paths, "");
    collect_paths(test_case.element, paths);
    for (const std::string& path : paths) {
      add(path, of_case->second);
    }
    // The tolerances of an ONNX test lie beside its data.
    const std::string tolerances = (fs::path(test_case.test_data).parent_path() / "data.json").string();
    if (std::error_code code; !test_case.test_data.empty() && fs::is_regular_file(tolerances, code)) {
      add(tolerances, of_case->second);
    }
    if (const spec::ModelSource& model = test_case.model; model.kind == spec::ModelKind::kPath) {
      for (const std::string& file : api::external_data_files(model.path)) {
        add((fs::path(model.path).parent_path() / file).lexically_normal().string(), of_case->second);
      }
    }
  }
  Json digests = of_case->second;
  if (const Json& ranges = configuration.get("quantizer.ranges"); ranges.is_string()) {
    add(spec::resolve_path(test_case.element.document(), ranges.get<std::string>()), digests);
  }
  return digests;
}

std::string changed_source(const reports::Json& then, const reports::Json& now) {
  if (!then.is_object() || then.empty()) {
    return "the journal does not say what they were made of";
  }
  auto before = then.begin();
  for (const auto& [file, digest] : now.items()) {
    if (before == then.end() || before.value() != digest) {
      return file + " has changed";
    }
    // Folders may have moved together.
    if (fs::path(before.key()).filename() != fs::path(file).filename()) {
      return before.key() + " is now " + file;
    }
    ++before;
  }
  return before == then.end() ? "" : before.key() + " is no longer a part of it";
}

}  // namespace assay::run
