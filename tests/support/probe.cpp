// SPDX-License-Identifier: Apache-2.0
#include "tests/support/probe.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace assay::test {
namespace {

using nlohmann::json;

std::vector<std::string> result_files(const json& tiers, const std::string& key, const std::string& folder) {
  const json& entry = tiers.at(key);
  if (entry.contains("same_as")) {
    return result_files(tiers, entry.at("same_as"), folder);
  }
  std::vector<std::string> files;
  for (const json& file : entry.at("files")) {
    files.push_back(folder + "/" + file.get<std::string>());
  }
  return files;
}

// Whether some variant of the same level without session options gave the same outputs.
bool equals_plain_run(const json& probe, const ProbeResult& result) {
  const json& entry = probe.at("tiers").at(result.key);
  for (const auto& [name, variant] : probe.at("variants").items()) {
    if (!variant.at("session_config").empty() || variant.at("optimization_level") != result.level) {
      continue;
    }
    const std::string key = name == "default" ? result.tier : result.tier + "." + name;
    const json& plain = probe.at("tiers").at(key);
    return plain.contains("outputs") && entry.contains("outputs") && plain.at("outputs") == entry.at("outputs");
  }
  return false;
}

ProbeResult read_result(const json& probe, const std::string& key, const std::string& folder) {
  ProbeResult result;
  result.key = key;
  const std::size_t dot = key.find('.');
  result.tier = key.substr(0, dot);
  result.variant = dot == std::string::npos ? "default" : key.substr(dot + 1);
  const json& variant = probe.at("variants").at(result.variant);
  result.level = variant.at("optimization_level");
  result.plain = variant.at("session_config").empty() || equals_plain_run(probe, result);
  const json& entry = probe.at("tiers").at(key);
  if (entry.contains("error")) {
    result.error = entry.at("error");
  } else {
    result.outputs = result_files(probe.at("tiers"), key, folder);
  }
  return result;
}

Probe read_probe(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const json document = json::parse(stream);
  Probe probe;
  probe.family = document.at("family");
  probe.name = document.at("name");
  probe.folder = file.parent_path().string();
  for (const json& input : document.at("inputs")) {
    probe.inputs.push_back(input.at("name"));
    probe.input_files.push_back(probe.folder + "/" + input.at("file").get<std::string>());
  }
  for (const json& output : document.at("outputs")) {
    probe.output_names.push_back(output.at("name"));
  }
  for (const auto& [key, entry] : document.at("tiers").items()) {
    probe.results.push_back(read_result(document, key, probe.folder));
  }
  return probe;
}

}  // namespace

Result<std::vector<Probe>> load_probes(const std::filesystem::path& folder) {
  std::vector<Probe> probes;
  try {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().filename() == "probe.json") {
        probes.push_back(read_probe(entry.path()));
      }
    }
  } catch (const std::exception& error) {
    return io_error(folder.string() + ": " + error.what());
  }
  std::sort(probes.begin(), probes.end(), [](const Probe& a, const Probe& b) { return a.path() < b.path(); });
  return probes;
}

}  // namespace assay::test
