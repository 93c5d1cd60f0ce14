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
#include "harness/spec/nearest.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

Status make_folder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  return code ? Status(io_error(fmt::format("{}: cannot be made: {}", folder.string(), code.message()))) : Status();
}

// "onnxruntime 1.32.0" from the answer to hello. An adapter that refuses hello or speaks another protocol is ended.
Result<std::string> said_hello(AdapterProcess& adapter) {
  const Result<Json> answer = adapter.ask(hello_request());
  if (!answer.ok()) {
    return adapter.alive() ? adapter.broke("refused hello: " + answer.error().message) : answer.error();
  }
  const auto text = [&](const char* key) {
    const auto found = answer.value().find(key);
    return found != answer.value().end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (text("name").empty() || text("version").empty()) {
    return adapter.broke("answered hello without the texts \"name\" and \"version\"");
  }
  const auto protocol = answer.value().find("protocol");
  if (protocol == answer.value().end() || *protocol != kProtocolVersion) {
    return adapter.broke(fmt::format(
        "answered hello with {}; this assay speaks {}",
        protocol == answer.value().end() ? "no \"protocol\"" : "protocol " + spec::shortened(protocol->dump()),
        kProtocolVersion));
  }
  return spec::shortened(text("name")) + " " + spec::shortened(text("version"));
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
  ASSAY_TRY(make_folder(folder));
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

void RuntimeHost::end_unless_settled(const std::string& name) {
  if (AdapterProcess* known = running(name); known != nullptr && !known->settled()) {
    adapters_.erase(name);
  }
}

Result<AdapterProcess*> RuntimeHost::adapter(const std::string& name) {
  if (AdapterProcess* known = running(name); known != nullptr) {
    ASSAY_TRY(make_folder(known->folder()));  // which is in an adapter's reach
    return known;
  }
  adapters_.erase(name);
  ASSAY_ASSIGN(const RuntimeEntry registered, entry(name));
  if (const std::optional<std::string> missing = missing_part(registered)) {
    return unsupported(*missing);
  }
  ASSAY_ASSIGN(const std::string folder, new_folder(name));
  Result<std::unique_ptr<AdapterProcess>> started = AdapterProcess::start(registered, folder);
  Result<std::string> version = started.ok() ? said_hello(*started.value()) : Result<std::string>(started.error());
  if (!version.ok()) {
    if (version.error().kind == ErrorKind::kIo) {
      note_crash(version.error().message);
    }
    return version.error();
  }
  identities_[name] = version.value() + ", " + identity_text(registered);
  versions_[name] = std::move(version).value();
  return (adapters_[name] = std::move(started).value()).get();
}

std::string RuntimeHost::version(const std::string& name) const {
  const auto known = versions_.find(name);
  return known == versions_.end() ? name : known->second;
}

std::string RuntimeHost::identity(const std::string& name) const {
  const auto known = identities_.find(name);
  return known == identities_.end() ? "" : known->second;
}

std::optional<std::string> RuntimeHost::take_crash() { return std::exchange(crash_, std::nullopt); }

}  // namespace assay::run
