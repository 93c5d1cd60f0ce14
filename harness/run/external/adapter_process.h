// SPDX-License-Identifier: Apache-2.0
// A running adapter of an external runtime: one JSON request a line on its stdin, one JSON answer a line on its stdout.
// It dies with the process that started it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "harness/run/channel.h"
#include "harness/run/external/registry.h"

namespace assay::run {

class AdapterProcess {
 public:
  // `folder`: exists, and is the adapter's own; what it prints on stderr goes to a file there.
  // Errors: kResource (no process or pipe), kIo (the command cannot be started).
  static Result<std::unique_ptr<AdapterProcess>> start(const RuntimeEntry& entry, const std::string& folder);
  AdapterProcess(const AdapterProcess&) = delete;
  AdapterProcess& operator=(const AdapterProcess&) = delete;
  ~AdapterProcess();  // kills and reaps

  // The answer to a request. Errors: kInvalidArgument, the adapter answered {"ok": false, "error": text}; kIo, it ended
  // or spoke no JSON, and is not alive() any more: the message says how it ended and what it printed last.
  Result<Json> ask(const Json& request);
  bool alive() const { return pid_ > 0; }
  const std::string& folder() const { return folder_; }

 private:
  AdapterProcess(std::string name, std::string folder) : name_(std::move(name)), folder_(std::move(folder)) {}
  Result<std::string> read_line();
  Error died(const std::string& why);
  std::string stop();

  std::string name_;
  std::string folder_;
  pid_t pid_ = -1;
  int to_adapter_ = -1;
  int from_adapter_ = -1;
  std::string received_;
};

}  // namespace assay::run
