// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/onnx_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace assay::spec {
namespace {

namespace fs = std::filesystem;

// Of onnx.backend.test.runner.
constexpr double kRelativeTolerance = 1e-3;
constexpr double kAbsoluteTolerance = 1e-7;

// Tests whose data contradict their model: input 'like' is declared [3,4] and given as [1].
constexpr std::array<std::string_view, 4> kBrokenTests = {
    "test_castlike_BFLOAT16_to_FLOAT", "test_castlike_BFLOAT16_to_FLOAT_expanded", "test_castlike_FLOAT_to_BFLOAT16",
    "test_castlike_FLOAT_to_BFLOAT16_expanded"};

struct Tolerances {
  double rtol = kRelativeTolerance;
  double atol = kAbsoluteTolerance;
};

Tolerances read_tolerances(const fs::path& folder) {
  Tolerances tolerances;
  const auto document = Document::read((folder / "data.json").string());
  if (!document.ok() || !document.value()->root().is_object()) {
    return tolerances;
  }
  const Json& json = document.value()->root();
  if (json.contains("rtol") && json["rtol"].is_number()) {
    tolerances.rtol = json["rtol"].get<double>();
  }
  if (json.contains("atol") && json["atol"].is_number()) {
    tolerances.atol = json["atol"].get<double>();
  }
  return tolerances;
}

// A folder is a test if it has a model, or is named like one and could have had one.
bool is_test(const fs::path& folder) {
  std::error_code code;
  return fs::exists(folder / "model.onnx", code) ||
         (folder.filename().string().starts_with("test_") && fs::exists(folder / "data.json", code));
}

// test_data_set_N, by N.
std::vector<std::string> data_sets(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code code;
  fs::directory_iterator entry(folder, code);
  for (const fs::directory_iterator end; !code && entry != end; entry.increment(code)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with("test_data_set_") && entry->is_directory(code)) {
      names.push_back(std::move(name));
    }
  }
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

std::vector<fs::path> find_tests(const std::string& root, std::vector<std::string>& errors) {
  std::vector<fs::path> tests;
  if (is_test(root)) {
    tests.emplace_back(root);
  }
  std::error_code code;
  fs::recursive_directory_iterator entry(root, code);
  for (const fs::recursive_directory_iterator end; !code && entry != end; entry.increment(code)) {
    if (entry->is_directory(code) && is_test(entry->path())) {
      tests.push_back(entry->path());
      entry.disable_recursion_pending();
    }
  }
  if (code) {
    errors.push_back(fmt::format("--onnx-tests {}: cannot be searched: {}", root, code.message()));
  } else if (tests.empty()) {
    errors.push_back(fmt::format("--onnx-tests {}: holds no folder with a model.onnx", root));
  }
  std::ranges::sort(tests);
  return tests;
}

// Names are printed as name[axis=value,...]; folders may be called anything.
std::string case_name(const fs::path& folder, const std::string& root) {
  std::string name = folder.lexically_relative(root).generic_string();
  if (name == "." || name.empty()) {
    name = fs::absolute(root).lexically_normal().filename().string();
  }
  const auto special = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || std::string_view("[],=").find(c) != std::string_view::npos;
  };
  std::ranges::replace_if(name, special, '_');
  return name.empty() ? "test" : name;
}

void add_case(const fs::path& folder, const std::string& root, const std::string& data_set, bool one_of_many,
              CaseSet& set) {
  const Tolerances tolerances = read_tolerances(folder);
  Json json;
  json["name"] = case_name(folder, root) + (one_of_many ? "/" + data_set : "");
  json["tags"] = {"onnx-test"};
  json["model"]["path"] = "model.onnx";
  json["matrix"]["quantizer.format"] = "none";
  json["reference"]["golden"] = data_set;
  json["expect"] = Json::array();
  json["expect"].push_back(
      {{"metric", "tolerance_ratio"}, {"rtol", tolerances.rtol}, {"atol", tolerances.atol}, {"at_most", 1}});
  json["weak_ok"] = "the data of an ONNX test are given";
  CaseOrErrors made = parse_case((folder / "model.onnx").string(), json.dump());
  set.errors.insert(set.errors.end(), made.errors.begin(), made.errors.end());
  if (!made.value) {
    return;
  }
  made.value->onnx_tests = root;
  made.value->test_data = (folder / data_set).string();
  made.value->skips_unsupported = true;
  std::error_code code;
  if (!fs::exists(folder / "model.onnx", code)) {
    made.value->skip_reason = "the test has no model.onnx here: its data.json names what would have to be fetched";
  }
  if (std::ranges::find(kBrokenTests, folder.filename().string()) != kBrokenTests.end()) {
    made.value->skip_reason = "the test contradicts itself: input 'like' is declared [3,4], its data have shape [1]";
  }
  set.cases.push_back(std::move(*made.value));
}

}  // namespace

CaseSet load_onnx_tests(const std::string& root) {
  CaseSet set;
  for (const fs::path& folder : find_tests(root, set.errors)) {
    std::vector<std::string> sets = data_sets(folder);
    if (sets.empty()) {
      sets.emplace_back("test_data_set_0");  // whose absence the run reports
    }
    for (const std::string& data_set : sets) {
      add_case(folder, root, data_set, sets.size() > 1, set);
    }
  }
  return set;
}

}  // namespace assay::spec
