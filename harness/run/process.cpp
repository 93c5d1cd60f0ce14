// SPDX-License-Identifier: Apache-2.0
#include "harness/run/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "harness/run/guard.h"
#include "harness/run/process_end.h"

namespace assay::run {
namespace {

// noexcept: an exception must not unwind into the coordinator's code, of which the child has a copy.
[[noreturn]] void serve(const Handler& handler, int requests, int answers) noexcept {
  while (const std::optional<Json> request = receive_message(requests)) {
    Json answer = handler(*request);
    bool is_sent = send_message(answers, answer);
    while (is_sent && answer.contains(kMore)) {
      answer = handler({{kMore, true}});
      is_sent = send_message(answers, answer);
    }
    if (!is_sent) {
      break;
    }
  }
  // No destructors: the parent's open files and threads are not the child's to close.
  ::_exit(0);
}

// The kernel's choice when memory is short must be a worker, whose variant pays for it, and not the coordinator.
void prefer_for_oom_killer() {
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    [[maybe_unused]] const ssize_t ignored = ::write(file, "500", 3);
    ::close(file);
  }
}

void limit_memory(std::size_t bytes) {
  if (bytes > 0) {
    const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
    ::setrlimit(RLIMIT_AS, &limit);
  }
}

}  // namespace

Result<Process> Process::start(const Handler& handler, std::size_t memory_limit_bytes) {
  std::array<std::array<int, 2>, 3> pipes{};
  std::size_t made = 0;
  const auto give_up = [&](const std::string& what) {
    const int code = errno;
    for (std::size_t i = 0; i < made; ++i) {
      ::close(pipes[i][0]);
      ::close(pipes[i][1]);
    }
    return resource_error(what + std::strerror(code));
  };
  for (; made < pipes.size(); ++made) {
    if (::pipe2(pipes[made].data(), O_CLOEXEC) != 0) {
      return give_up("no pipe for a worker: ");
    }
  }
  const auto& [requests, answers, end] = pipes;
  ::signal(SIGPIPE, SIG_IGN);  // a worker that has died shows as a failed write
  std::fflush(nullptr);        // else the child would print the parent's buffered text again
  const auto work = [&] {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      ::signal(signal, SIG_IGN);
    }
    prefer_for_oom_killer();
    limit_memory(memory_limit_bytes);
    ::close(pipes[0][1]);
    ::close(pipes[1][0]);
    serve(handler, pipes[0][0], pipes[1][1]);
  };
  const auto in_guard = [&] {
    for (const int descriptor : {pipes[0][0], pipes[0][1], pipes[1][0], pipes[1][1], pipes[2][0]}) {
      ::close(descriptor);
    }
  };
  const pid_t guard = start_guard(work, in_guard, end[1]);
  if (guard < 0) {
    return give_up("no process for a worker: ");
  }
  ::close(requests[0]);
  ::close(answers[1]);
  ::close(end[1]);
  ::fcntl(answers[0], F_SETFL, O_NONBLOCK);
  Process process;
  process.guard_ = guard;
  process.to_child_ = requests[1];
  process.from_child_ = answers[0];
  process.end_ = end[0];
  return process;
}

Process::Process(Process&& other) noexcept { *this = std::move(other); }

Process& Process::operator=(Process&& other) noexcept {
  std::swap(guard_, other.guard_);
  std::swap(to_child_, other.to_child_);
  std::swap(from_child_, other.from_child_);
  std::swap(end_, other.end_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

Process::~Process() {
  if (guard_ > 0) {
    stop();
  }
}

bool Process::send(const Json& request) const { return send_message(to_child_, request); }

bool Process::pump() {
  std::array<char, 1 << 16> bytes{};
  while (true) {
    const ssize_t got = ::read(from_child_, bytes.data(), bytes.size());
    if (got > 0) {
      buffer_.append({bytes.data(), static_cast<std::size_t>(got)});
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      return got < 0 && errno == EAGAIN;
    }
  }
}

std::string Process::stop() {
  const WorkerEnd end = stop_guard(std::exchange(guard_, -1), end_);
  for (const int descriptor : {to_child_, from_child_, end_}) {
    ::close(descriptor);
  }
  return end_text(end.status);
}

}  // namespace assay::run
