// SPDX-License-Identifier: Apache-2.0
#include "harness/run/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "harness/run/process_end.h"

namespace assay::run {
namespace {

// noexcept: an exception must not unwind into the coordinator's code, of which the child has a copy.
[[noreturn]] void serve(const Handler& handler, int requests, int answers) noexcept {
  while (const std::optional<Json> request = receive_message(requests)) {
    if (!send_message(answers, handler(*request))) {
      break;
    }
  }
  // No destructors: the parent's open files and threads are not the child's to close.
  ::_exit(0);
}

}  // namespace

Result<Process> Process::start(const Handler& handler) {
  std::array<int, 2> requests{};
  std::array<int, 2> answers{};
  if (::pipe2(requests.data(), O_CLOEXEC) != 0) {
    return resource_error(std::string("no pipe for a worker: ") + std::strerror(errno));
  }
  if (::pipe2(answers.data(), O_CLOEXEC) != 0) {
    ::close(requests[0]);
    ::close(requests[1]);
    return resource_error(std::string("no pipe for a worker: ") + std::strerror(errno));
  }
  ::signal(SIGPIPE, SIG_IGN);  // a worker that has died shows as a failed write
  std::fflush(nullptr);        // else the child would print the parent's buffered text again
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    const std::string message = std::string("no process for a worker: ") + std::strerror(errno);
    for (const int descriptor : {requests[0], requests[1], answers[0], answers[1]}) {
      ::close(descriptor);
    }
    return resource_error(message);
  }
  if (pid == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
      ::_exit(0);
    }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      ::signal(signal, SIG_IGN);
    }
    ::close(requests[1]);
    ::close(answers[0]);
    serve(handler, requests[0], answers[1]);
  }
  ::setpgid(pid, pid);  // in both, so that the group is there whichever of the two runs first
  ::close(requests[0]);
  ::close(answers[1]);
  ::fcntl(answers[0], F_SETFL, O_NONBLOCK);
  Process process;
  process.pid_ = pid;
  process.to_child_ = requests[1];
  process.from_child_ = answers[0];
  return process;
}

Process::Process(Process&& other) noexcept { *this = std::move(other); }

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(to_child_, other.to_child_);
  std::swap(from_child_, other.from_child_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

Process::~Process() {
  if (pid_ > 0) {
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
  // What it has started is in its process group, and has no reason to outlive it.
  const pid_t group = pid_;
  std::string end = kill_and_reap(std::exchange(pid_, -1));
  ::kill(-group, SIGKILL);
  ::close(to_child_);
  ::close(from_child_);
  return end;
}

}  // namespace assay::run
