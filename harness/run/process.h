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
// Answers a request. An answer {kMore: FIRST} is one of two: FIRST stands, whatever becomes of the process, and the
// handler is called again, with {kMore: true}, for the whole answer.
using Handler = std::function<Json(const Json& request)>;
inline constexpr char kMore[] = "more";

class Process {
 public:
  // The child serves requests until its input ends. It dies with its parent, and what it has started dies with it
  // (guard.h). It ignores SIGINT, SIGTERM and SIGHUP, which are the coordinator's to act on, and is the first to go
  // where the machine runs out of memory. With a limit of its address space (0: none), what it asks for beyond is
  // refused.
  static Result<Process> start(const Handler& handler, std::size_t memory_limit_bytes = 0);
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

  // Kills it and all it has started with SIGKILL, reaps, and says how it ended: "killed by SIGSEGV", "exited with
  // status 3". Takes a second at most.
  std::string stop();

 private:
  Process() = default;
  pid_t guard_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  int end_ = -1;  // the guard's word of how the child ended
  MessageBuffer buffer_;
};

}  // namespace assay::run
