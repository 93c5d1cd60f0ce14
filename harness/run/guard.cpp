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

// To the guard: from the coordinator, and from the kernel when the coordinator dies.
constexpr int kEndSignal = SIGTERM;
constexpr int kPatienceMs = 800;

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

[[noreturn]] void guard_worker(pid_t worker, const sigset_t& signals, int report) noexcept {
  std::optional<int> end;
  const auto note = [&](pid_t child, int status) {
    if (child == worker) {
      end = status;
    }
  };
  bool told = false;
  while (!end && !told) {
    siginfo_t info{};
    if (::sigwaitinfo(&signals, &info) == kEndSignal) {
      told = true;
    }
    int status = 0;
    for (pid_t child = 0; (child = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      note(child, status);  // also a descendant's child, left to this process
    }
  }
  if (!end) {
    ::kill(worker, SIGKILL);  // also where the kernel lists no children
  }
  ::kill(-worker, SIGKILL);
  kill_children({}, note);
  int status = 0;
  for (int waited_ms = 0; !end && waited_ms < kPatienceMs; ++waited_ms) {
    if (::waitpid(worker, &status, WNOHANG) == worker) {
      end = status;
    } else {
      pause_ms(1);
    }
  }
  if (end) {
    status = *end;
    [[maybe_unused]] const ssize_t ignored = ::write(report, &status, sizeof status);
  }
  ::_exit(0);
}

}  // namespace

pid_t start_guard(const std::function<void()>& work, const std::function<void()>& in_guard, int report) {
  // What a killed guard leaves behind comes to this process, which knows its own children.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t coordinator = ::getpid();
  const pid_t guard = ::fork();
  if (guard != 0) {
    if (guard > 0) {
      ::setpgid(guard, guard);  // in both, so that it holds whichever of the two runs first
      living_guards().insert(guard);
    }
    return guard;
  }
  ::setpgid(0, 0);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, kEndSignal);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  for (const int signal : {SIGINT, SIGHUP}) {
    ::signal(signal, SIG_IGN);
  }
  ::signal(SIGCHLD, SIG_DFL);
  ::signal(kEndSignal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, kEndSignal);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (::getppid() != coordinator) {
    ::_exit(0);
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
    if (waited_ms > kPatienceMs + 100) {
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
