// SPDX-License-Identifier: Apache-2.0
#include "harness/run/needs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/run/host.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

bool is_installed(const std::string& package, const std::string& folder) {
  std::error_code code;
  if (fs::exists(fs::path(folder) / (package + ".list"), code)) {
    return true;
  }
  fs::directory_iterator entry(folder, code);
  for (const fs::directory_iterator end; !code && entry != end; entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(package + ":") && name.ends_with(".list")) {
      return true;
    }
  }
  return false;
}

bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string file = (fs::path(rest.substr(0, end)) / program).string();
    std::error_code code;
    if (!fs::is_directory(file, code) && ::access(file.c_str(), X_OK) == 0) {
      return true;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::optional<std::string> missing_runtime(const std::string& name, RuntimeHost& runtimes) {
  const Result<RuntimeEntry> entry = runtimes.entry(name);
  if (!entry.ok()) {  // there is no registry: with one, selection refuses unknown names
    return "needs runtime '" + name + "': " + entry.error().message;
  }
  const std::optional<std::string> missing = missing_part(entry.value());
  return missing ? std::optional("needs runtime '" + name + "': " + *missing) : std::nullopt;
}

std::optional<std::string> first_missing(const spec::Needs& needs, RuntimeHost& runtimes, const HostQuery& host) {
  for (const std::string& feature : needs.features) {
    if (std::ranges::find(host.features, feature) == host.features.end()) {
      return fmt::format("needs CPU feature '{}', this host has {}", feature,
                         host.features.empty() ? "none" : fmt::format("{}", fmt::join(host.features, ", ")));
    }
  }
  for (const std::string& runtime : needs.runtimes) {
    if (std::optional<std::string> missing = missing_runtime(runtime, runtimes)) {
      return missing;
    }
  }
  for (const std::string& package : needs.packages) {
    if (!is_installed(package, host.package_folder)) {
      return fmt::format("needs Debian package '{}', which is not installed", package);
    }
  }
  for (const std::string& program : needs.programs) {
    if (!is_on_path(program)) {
      return fmt::format("needs program '{}', which is not on the PATH", program);
    }
  }
  for (const std::string& file : needs.files) {
    std::error_code code;
    if (!fs::exists(file, code)) {
      return fmt::format("needs '{}', which is not there", file);
    }
  }
  if (needs.cores > host.cores) {
    return fmt::format("needs {} cores, {} may be used here", needs.cores, host.cores);
  }
  if (needs.memory_mb > host.memory_mb) {
    return fmt::format("needs {} MiB of memory, this host has {}", needs.memory_mb, host.memory_mb);
  }
  return std::nullopt;
}

}  // namespace

HostQuery this_host() {
  const reports::Json facts = host_facts();
  HostQuery host;
  host.features = facts.at("features").get<std::vector<std::string>>();
  host.cores = usable_cores();
  host.memory_mb = facts.at("memory_bytes").get<Index>() >> 20;
  return host;
}

std::optional<std::string> missing_need(const spec::Case& test_case, const spec::Configuration& configuration,
                                        RuntimeHost& runtimes, const HostQuery& host) {
  for (const spec::Needs& needs : test_case.needs) {
    if (needs.when.holds(configuration)) {
      if (std::optional<std::string> missing = first_missing(needs, runtimes, host)) {
        return missing;
      }
    }
  }
  return std::nullopt;
}

}  // namespace assay::run
