// SPDX-License-Identifier: Apache-2.0
#include "harness/run/guard.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::run {
namespace {

// To a guard: from its parent, and from the kernel when the parent dies.
constexpr int kEndSignal = SIGTERM;
constexpr int kPatienceMs = 800;
constexpr int kOuterPatienceMs = kPatienceMs + 50;  // the inner guard is given its own

// The guards that are alive, in the coordinator.
std::set<pid_t>& living_guards() {
  static std::set<pid_t> guards;
  return guards;
}

// The children of this process, also those that became its own when their parents died.
std::vector<pid_t> own_children() {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/children", static_cast<int>(::getpid()));
  std::vector<pid_t> children;
  if (std::FILE* file = std::fopen(path.data(), "re")) {
    int child = 0;
    while (std::fscanf(file, "%d", &child) == 1) {
      children.push_back(child);
    }
    std::fclose(file);
  }
  return children;
}

void pause_ms(long milliseconds) {
  const struct timespec time { .tv_sec = 0, .tv_nsec = milliseconds * 1'000'000 };
  ::nanosleep(&time, nullptr);
}

// Kills and reaps the children that are not in `spared`, again and again: a killed process leaves its children to this
// one. Gives up on what the kernel does not let go. `on_end` hears of each that is reaped.
template <typename OnEnd>
void kill_children(const std::set<pid_t>& spared, const OnEnd& on_end) {
  for (int waited_ms = 0; waited_ms < kPatienceMs; ++waited_ms) {
    bool any = false;
    for (const pid_t child : own_children()) {
      if (!spared.contains(child)) {
        any = true;
        ::kill(child, SIGKILL);
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) == child) {
          on_end(child, status);
        }
      }
    }
    if (!any) {
      return;
    }
    pause_ms(1);
  }
}

// Waits until the child ends or this guard is told to; reaps whatever dies meanwhile. The child's end, if it has.
std::optional<int> wait_for_end(pid_t watched, const sigset_t& signals) {
  std::optional<int> end;
  while (!end) {
    siginfo_t info{};
    const bool told = ::sigwaitinfo(&signals, &info) == kEndSignal;
    int status = 0;
    for (pid_t child = 0; (child = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      end = child == watched ? std::optional(status) : end;  // else a descendant's child, left to this process
    }
    if (told) {
      break;
    }
  }
  return end;
}

// The child's end, if it comes in time.
std::optional<int> reap(pid_t child, int patience_ms) {
  int status = 0;
  for (int waited_ms = 0; waited_ms < patience_ms; ++waited_ms) {
    if (::waitpid(child, &status, WNOHANG) == child) {
      return status;
    }
    pause_ms(1);
  }
  return std::nullopt;
}

void tell(int report, int status) { [[maybe_unused]] const ssize_t ignored = ::write(report, &status, sizeof status); }

[[noreturn]] void guard_worker(pid_t worker, const sigset_t& signals, int report) noexcept {
  std::optional<int> end = wait_for_end(worker, signals);
  if (!end) {
    ::kill(worker, SIGKILL);  // also where the kernel lists no children
  }
  ::kill(-worker, SIGKILL);
  kill_children({}, [&](pid_t child, int status) { end = child == worker ? std::optional(status) : end; });
  if (!end) {
    end = reap(worker, kPatienceMs);
  }
  if (end) {
    tell(report, *end);
  }
  ::_exit(0);
}

// What the inner guard would leave behind where it is killed comes to this process.
[[noreturn]] void guard_guard(pid_t inner, const sigset_t& signals, int report) noexcept {
  std::optional<int> end = wait_for_end(inner, signals);
  if (!end) {
    ::kill(inner, kEndSignal);
    end = reap(inner, kOuterPatienceMs);
  }
  kill_children({}, [](pid_t, int) {});
  if (end && WIFSIGNALED(*end)) {
    tell(report, *end);  // if the inner guard has been able to report, that comes first
  }
  ::_exit(0);
}

// Forks. In the child: a guard's ways with signals and with what its descendants leave behind, and its end with that of
// its parent.
pid_t fork_guard(const sigset_t& signals) {
  const pid_t parent = ::getpid();
  const pid_t guard = ::fork();
  if (guard == 0) {
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    for (const int signal : {SIGINT, SIGHUP}) {
      ::signal(signal, SIG_IGN);
    }
    ::signal(SIGCHLD, SIG_DFL);
    ::signal(kEndSignal, SIG_DFL);
    ::prctl(PR_SET_PDEATHSIG, kEndSignal);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (::getppid() != parent) {
      ::_exit(0);
    }
  }
  return guard;
}

}  // namespace

pid_t start_guard(const std::function<void()>& work, const std::function<void()>& in_guard, int report) {
  // What a killed guard leaves behind comes to this process, which knows its own children.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, kEndSignal);
  const pid_t outer = fork_guard(signals);
  if (outer != 0) {
    if (outer > 0) {
      ::setpgid(outer, outer);  // in both, so that it holds whichever of the two runs first
      living_guards().insert(outer);
    }
    return outer;
  }
  ::setpgid(0, 0);
  const pid_t inner = fork_guard(signals);
  if (inner < 0) {
    ::_exit(1);
  }
  if (inner > 0) {
    in_guard();
    guard_guard(inner, signals, report);
  }
  const pid_t own = ::getpid();
  const pid_t worker = ::fork();
  if (worker < 0) {
    ::_exit(1);
  }
  if (worker == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != own) {
      ::_exit(0);
    }
    ::setpgid(0, 0);
    ::sigprocmask(SIG_UNBLOCK, &signals, nullptr);
    ::signal(kEndSignal, SIG_IGN);
    ::close(report);
    work();
    ::_exit(0);
  }
  in_guard();
  guard_worker(worker, signals, report);
}

WorkerEnd stop_guard(pid_t guard, int report) {
  ::kill(guard, kEndSignal);
  int status = 0;
  for (int waited_ms = 0; ::waitpid(guard, &status, WNOHANG) == 0; ++waited_ms) {
    if (waited_ms > kOuterPatienceMs + 50) {
      ::kill(guard, SIGKILL);  // stopped by a variant, or held by a process that the kernel does not let go
      while (::waitpid(guard, &status, 0) < 0 && errno == EINTR) {
      }
      break;
    }
    pause_ms(1);
  }
  living_guards().erase(guard);
  WorkerEnd end;
  pollfd polled{.fd = report, .events = POLLIN, .revents = 0};
  if (::poll(&polled, 1, 0) == 1 && ::read(report, &end.status, sizeof end.status) == sizeof end.status) {
    end.known = true;
    return end;
  }
  end.status = status;
  if (WIFSIGNALED(status)) {
    kill_children(living_guards(), [](pid_t, int) {});
  }
  return end;
}

}  // namespace assay::run
