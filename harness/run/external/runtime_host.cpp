// SPDX-License-Identifier: Apache-2.0
#include "harness/run/external/runtime_host.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "harness/run/external/protocol.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

// "onnxruntime 1.32.0" from the answer to hello.
Result<std::string> check_hello(const std::string& name, const Json& answer) {
  const auto text = [&](const char* key) {
    return answer.contains(key) && answer[key].is_string() ? answer[key].get<std::string>() : std::string();
  };
  if (text("name").empty() || text("version").empty()) {
    return invalid_argument(
        fmt::format("runtime '{}': the answer to hello must have the texts \"name\" and \"version\"", name));
  }
  return text("name") + " " + text("version");
}

}  // namespace

RuntimeHost::~RuntimeHost() {
  adapters_.clear();
  if (owns_scratch_) {
    std::error_code ignored;
    fs::remove_all(scratch_, ignored);
  }
}

Result<std::string> RuntimeHost::new_folder(const std::string& name) {
  if (scratch_.empty()) {
    std::error_code code;
    std::string made = (fs::temp_directory_path(code) / "assay-XXXXXX").string();
    if (code || ::mkdtemp(made.data()) == nullptr) {
      return io_error(fmt::format("no folder for temporary files: {}", code ? code.message() : std::strerror(errno)));
    }
    scratch_ = made;
    owns_scratch_ = true;
  }
  // Workers share the scratch folder of a run.
  const fs::path folder = fs::path(scratch_) / fmt::format("{}-{}-{}", name, ::getpid(), folders_++);
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) {
    return io_error(fmt::format("{}: cannot be made: {}", folder.string(), code.message()));
  }
  return folder.string();
}

Result<RuntimeEntry> RuntimeHost::entry(const std::string& name) {
  if (!registry_) {
    ASSAY_ASSIGN(registry_, RuntimeRegistry::find());
  }
  return registry_->entry(name);
}

AdapterProcess* RuntimeHost::running(const std::string& name) const {
  const auto known = adapters_.find(name);
  return known != adapters_.end() && known->second->alive() ? known->second.get() : nullptr;
}

Result<AdapterProcess*> RuntimeHost::adapter(const std::string& name) {
  if (AdapterProcess* known = running(name); known != nullptr) {
    return known;
  }
  adapters_.erase(name);
  ASSAY_ASSIGN(const RuntimeEntry registered, entry(name));
  if (const std::optional<std::string> missing = missing_part(registered)) {
    return unsupported(*missing);
  }
  ASSAY_ASSIGN(const std::string folder, new_folder(name));
  ASSAY_ASSIGN(std::unique_ptr<AdapterProcess> started, AdapterProcess::start(registered, folder));
  const Result<Json> hello = started->ask(hello_request());
  if (!hello.ok()) {
    return hello.error();
  }
  ASSAY_ASSIGN(versions_[name], check_hello(name, hello.value()));
  return (adapters_[name] = std::move(started)).get();
}

std::string RuntimeHost::version(const std::string& name) const {
  const auto known = versions_.find(name);
  return known == versions_.end() ? name : known->second;
}

std::optional<std::string> RuntimeHost::take_crash() { return std::exchange(crash_, std::nullopt); }

}  // namespace assay::run
