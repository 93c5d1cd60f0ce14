// SPDX-License-Identifier: Apache-2.0
// A running adapter of an external runtime: one JSON request a line on its stdin, one JSON answer a line on its stdout.
// It dies with the process that started it. It is the process that was started: what that leaves behind answers for
// nothing, though it may hold the pipes open.
#pragma once

#include <sys/types.h>

#include <cstdint>
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

  // The answer to a request, which gets an "id" of its own. Errors: kInvalidArgument, the adapter answered
  // {"ok": false, "error": text}; kIo, it ended or broke the protocol, and is not alive() any more: the message says
  // how it ended and what it printed last. An answer that nobody asked for breaks the protocol: it is never taken for
  // that to a later request.
  Result<Json> ask(const Json& request);
  // Whether it lives and has printed nothing since its last answer. One that has is ended.
  bool settled() { return alive() && check_nothing_unread().ok(); }
  // Ends an adapter that broke the protocol. `how`: "answered ...". The error is kIo.
  Error broke(const std::string& how) { return died(how); }
  bool alive() const { return pid_ > 0; }
  const std::string& folder() const { return folder_; }

 private:
  AdapterProcess(std::string name, std::string folder) : name_(std::move(name)), folder_(std::move(folder)) {}
  Result<std::string> read_line();
  bool wait_for_output() const;
  Status check_nothing_unread();
  Status check_id(const Json& answer);
  Error died(const std::string& why);
  std::string stop();

  std::string name_;
  std::string folder_;
  pid_t pid_ = -1;
  int to_adapter_ = -1;
  int from_adapter_ = -1;
  std::string received_;
  std::int64_t asked_ = 0;        // the last request's id
  bool answers_have_id_ = false;  // as the first one had
};

}  // namespace assay::run
