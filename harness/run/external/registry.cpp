// SPDX-License-Identifier: Apache-2.0
#include "harness/run/external/registry.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "engine/base/fnv.h"
#include "engine/base/input_file.h"
#include "harness/spec/document.h"
#include "harness/spec/nearest.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using spec::Element;

constexpr std::array<std::string_view, 6> kKeys = {"command", "description", "requires", "hint", "isa", "emulated"};
constexpr std::array<const char*, 2> kPlaces = {"scripts/runtimes/registry.json", "share/assay/runtimes/registry.json"};

// It names a folder, and stands in tables and reports.
bool is_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  constexpr std::string_view kLettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return !name.empty() && name.size() <= kLongest && kLettersAndDigits.find(name.front()) != std::string_view::npos &&
         std::ranges::all_of(name, [&](char c) {
           return kLettersAndDigits.find(c) != std::string_view::npos ||
                  std::string_view("._+-").find(c) != std::string_view::npos;
         });
}

std::string resolved(const spec::Document& document, const std::string& argument) {
  if (!argument.starts_with("./") && !argument.starts_with("../")) {
    return argument;
  }
  std::error_code code;
  const fs::path absolute = fs::absolute(spec::resolve_path(document, argument), code);
  return code ? argument : absolute.lexically_normal().string();
}

// A NUL would end it early where it becomes an argument or a path.
bool is_text(const Element& element) {
  return element.json().is_string() && !element.json().get_ref<const std::string&>().empty() &&
         element.json().get_ref<const std::string&>().find('\0') == std::string::npos;
}

Result<std::vector<std::string>> paths_of(const Element& element, const char* what) {
  std::vector<std::string> texts;
  bool good = element.json().is_array();
  for (std::size_t i = 0; good && i < element.size(); ++i) {
    good = is_text(element.item(i));
    if (good) {
      texts.push_back(resolved(element.document(), element.item(i).json().get<std::string>()));
    }
  }
  if (!good) {
    return element.error(fmt::format("{} must be a list of texts, none of them empty or with a NUL", what));
  }
  return texts;
}

Status check_keys(const Element& element) {
  for (const std::string& key : element.keys()) {
    if (!key.starts_with("x-") && std::ranges::find(kKeys, key) == kKeys.end()) {
      return element.member(key).key_error(fmt::format("unknown key '{}'; nearest known key is '{}'", key,
                                                       spec::nearest(key, {kKeys.begin(), kKeys.end()})));
    }
  }
  return {};
}

Result<RuntimeEntry> entry_of(const std::string& name, const Element& element) {
  if (!element.json().is_object()) {
    return element.error(fmt::format("runtime '{}' must be an object with a 'command'", name));
  }
  if (name == "assay") {
    return element.key_error("'assay' is the program's own runtime and cannot be an external one");
  }
  if (!is_name(name)) {
    return element.key_error(
        "a runtime's name has letters, digits, '.', '_', '+' and '-', begins with a letter or digit "
        "and has at most 64 characters");
  }
  ASSAY_TRY(check_keys(element));
  RuntimeEntry entry;
  entry.name = name;
  if (!element.member("command").exists() || element.member("command").size() == 0) {
    return element.error(fmt::format("runtime '{}' has no 'command'", name));
  }
  ASSAY_ASSIGN(entry.command, paths_of(element.member("command"), "command"));
  if (const Element list = element.member("requires"); list.exists()) {
    ASSAY_ASSIGN(entry.requires_, paths_of(list, "requires"));
  }
  const auto optional_text = [&](const char* key, std::string& text) -> Status {
    const Element member = element.member(key);
    if (member.exists() && !is_text(member)) {
      return member.error(fmt::format("{} must be a text, not empty and without a NUL", key));
    }
    text = member.exists() ? member.json().get<std::string>() : text;
    return {};
  };
  ASSAY_TRY(optional_text("description", entry.description));
  ASSAY_TRY(optional_text("hint", entry.hint));
  ASSAY_TRY(optional_text("isa", entry.isa));
  if (const Element flag = element.member("emulated"); flag.exists()) {
    if (!flag.json().is_boolean()) {
      return flag.error("emulated must be true or false");
    }
    entry.emulated = flag.json().get<bool>();
  }
  return entry;
}

// The registry in a folder above the program, or "".
std::string registry_above_program() {
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  for (fs::path folder = program.parent_path(); !code && !folder.empty(); folder = folder.parent_path()) {
    for (const char* place : kPlaces) {
      std::error_code ignored;
      if (fs::is_regular_file(folder / place, ignored)) {
        return (folder / place).string();
      }
    }
    if (folder == folder.root_path()) {
      break;
    }
  }
  return "";
}

bool on_path(const std::string& program) {
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string candidate = std::string(rest.substr(0, colon)) + "/" + program;
    if (::access(candidate.c_str(), X_OK) == 0) {
      return true;
    }
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return false;
}

bool is_there(const std::string& path) {
  return path.find('/') == std::string::npos ? on_path(path) : ::access(path.c_str(), R_OK) == 0;
}

}  // namespace

Result<RuntimeRegistry> RuntimeRegistry::read(const std::string& path) {
  ASSAY_ASSIGN(const std::shared_ptr<const spec::Document> document, spec::Document::read(path));
  const Element root(document);
  const Element runtimes = root.member("runtimes");
  if (!root.json().is_object() || !runtimes.exists() || !runtimes.json().is_object()) {
    return root.error("a registry of runtimes must be {\"runtimes\": {NAME: {\"command\": [...]}}}");
  }
  RuntimeRegistry registry;
  registry.path_ = path;
  for (const std::string& name : runtimes.keys()) {
    ASSAY_ASSIGN(registry.entries_[name], entry_of(name, runtimes.member(name)));
  }
  return registry;
}

Result<RuntimeRegistry> RuntimeRegistry::find() {
  if (const char* named = std::getenv("ASSAY_RUNTIMES"); named != nullptr && *named != '\0') {
    return read(named);
  }
  const std::string found = registry_above_program();
  return found.empty() ? RuntimeRegistry() : read(found);
}

Result<RuntimeEntry> RuntimeRegistry::entry(const std::string& name) const {
  if (const auto found = entries_.find(name); found != entries_.end()) {
    return found->second;
  }
  std::vector<std::string> names = {"assay"};
  for (const auto& [known, ignored] : entries_) {
    names.push_back(known);
  }
  const std::string where = path_.empty() ? "there is no registry of external runtimes (ASSAY_RUNTIMES names one)"
                                          : fmt::format("{} does not have it", path_);
  return invalid_argument(fmt::format("unknown runtime '{}': {}; nearest known runtime is '{}'", spec::shortened(name),
                                      where, spec::nearest(name, names)));
}

std::string identity_text(const RuntimeEntry& entry) {
  constexpr std::uintmax_t kLargestFile = std::uintmax_t{16} << 20;
  std::string made_of;
  for (const std::string& word : entry.command) {
    made_of += word + '\0';
    std::error_code code;
    if (fs::is_regular_file(word, code) && fs::file_size(word, code) <= kLargestFile && !code) {
      const Result<std::string> bytes = read_file(word);
      made_of += (bytes.ok() ? bytes.value() : bytes.error().message) + '\0';
    }
  }
  return fmt::format("isa {}{}, command {:016x}", spec::shortened(entry.isa), entry.emulated ? " (emulated)" : "",
                     fnv1a(made_of));
}

std::optional<std::string> missing_part(const RuntimeEntry& entry) {
  std::vector<std::string> parts = entry.requires_;
  parts.push_back(entry.command.front());
  for (const std::string& part : parts) {
    if (!is_there(part)) {
      return fmt::format("peer missing: {} of runtime '{}' is not here{}{}", part, entry.name,
                         entry.hint.empty() ? "" : "; ", entry.hint);
    }
  }
  return std::nullopt;
}

}  // namespace assay::run
