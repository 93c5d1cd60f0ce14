// SPDX-License-Identifier: Apache-2.0
// A child process that answers requests. It is forked before any engine work, so that thread pools of libraries, which
// do not survive a fork, come into being in the child only.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "harness/run/channel.h"

namespace assay::run {

// Answers one request; runs in the child.
using Handler = std::function<Json(const Json& request)>;

class Process {
 public:
  // The child serves requests until its input ends. It dies with its parent and ignores SIGINT, SIGTERM and SIGHUP,
  // which are the coordinator's to act on.
  static Result<Process> start(const Handler& handler);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills and reaps

  // False if the child is gone.
  bool send(const Json& request) const;
  // Takes in what has arrived. False once the child has closed its end: it has died.
  bool pump();
  std::optional<Json> next_answer() { return buffer_.next(); }
  int descriptor() const { return from_child_; }
  pid_t pid() const { return pid_; }

  // Kills it and what it has started with SIGKILL, reaps, and says how it ended: "killed by SIGSEGV", "exited with
  // status 3".
  std::string stop();

 private:
  Process() = default;
  pid_t pid_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  MessageBuffer buffer_;
};

}  // namespace assay::run
