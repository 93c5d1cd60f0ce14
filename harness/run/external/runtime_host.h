// SPDX-License-Identifier: Apache-2.0
// The external runtimes of one worker: its adapters, each started when it is first needed and kept.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/run/external/adapter_process.h"
#include "harness/run/external/registry.h"

namespace assay::run {

class RuntimeHost {
 public:
  // `scratch`: a folder for models and tensors on their way to adapters; made when it is needed. "": a new one in the
  // folder for temporary files, removed with the host.
  explicit RuntimeHost(std::string scratch = "") : scratch_(std::move(scratch)) {}
  RuntimeHost(const RuntimeHost&) = delete;
  RuntimeHost& operator=(const RuntimeHost&) = delete;
  ~RuntimeHost();

  // A running adapter that has said hello and whose folder is there. One that has died is started again.
  // Errors: kInvalidArgument (not registered), kUnsupported (not on this machine: "peer missing: ..."), kIo. One that
  // cannot be started, or does not live through its hello, is noted as a crash.
  Result<AdapterProcess*> adapter(const std::string& name);
  // Before a new model: an adapter that has ended, or has printed something that is no answer, since its last answer is
  // ended without being noted, for the variant that it served has been judged. adapter() starts another.
  void end_unless_settled(const std::string& name);
  // The adapter if it runs, else null: starts nothing.
  AdapterProcess* running(const std::string& name) const;
  Result<RuntimeEntry> entry(const std::string& name);
  // "onnxruntime 1.32.0": what the adapter said of itself.
  std::string version(const std::string& name) const;
  // "onnxruntime 1.32.0, isa avx2, command 0123456789abcdef": that and what it was started by; "" of one that has not
  // been started.
  std::string identity(const std::string& name) const;

  // How an adapter died since the last call, or nothing. The outcome of the variant that it served is a crash.
  std::optional<std::string> take_crash();
  void note_crash(const std::string& text) { crash_ = text; }

 private:
  Result<std::string> new_folder(const std::string& name);

  std::string scratch_;
  bool owns_scratch_ = false;
  std::optional<RuntimeRegistry> registry_;
  std::map<std::string, std::unique_ptr<AdapterProcess>> adapters_;
  std::map<std::string, std::string> versions_;
  std::map<std::string, std::string> identities_;
  std::optional<std::string> crash_;
  int folders_ = 0;
};

}  // namespace assay::run
