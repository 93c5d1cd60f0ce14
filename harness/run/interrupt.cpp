// SPDX-License-Identifier: Apache-2.0
#include "harness/run/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "engine/base/unfinished_files.h"

namespace assay::run {
namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::int64_t kPatienceNs = 1'000'000'000;

std::array<struct sigaction, kSignals.size()> previous_actions{};

// CLOCK_MONOTONIC of the first signal; 0: none came.
std::atomic<std::int64_t> first_signal_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<pid_t>::is_always_lock_free);  // for use in a signal handler

// Who has the guard: a child that is being forked has its handler for a moment.
std::atomic<pid_t> owner{0};
bool on_terminal = false;

// At once: what runs is ended first, and the reports of a large run take a while.
void say_interrupted() {
  constexpr std::string_view kText = "\r\x1b[Kassay: interrupted, writing reports\n";
  constexpr std::size_t kClearsLine = 4;  // characters that take away the bar of a terminal
  const std::string_view text = on_terminal ? kText : kText.substr(kClearsLine);
  if (::getpid() == owner && ::write(STDERR_FILENO, text.data(), text.size()) < 0) {
    // nobody reads it
  }
}

void on_signal(int signal) {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  std::int64_t first = 0;
  if (first_signal_ns.compare_exchange_strong(first, now_ns)) {
    const int error = errno;
    say_interrupted();
    errno = error;
  } else if (now_ns - first > kPatienceNs) {
    remove_unfinished_files();
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // delivered when this handler returns
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  first_signal_ns = 0;
  owner = ::getpid();
  on_terminal = ::isatty(STDERR_FILENO) != 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &previous_actions[i]);
    if (kSignals[i] == SIGHUP && previous_actions[i].sa_handler == SIG_IGN) {
      continue;
    }
    struct sigaction action {};
    action.sa_handler = on_signal;  // without SA_RESTART: poll returns at once
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  if (interrupted()) {
    return;  // a repeat that comes while the process ends must not change how it ends
  }
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now {};
    ::sigaction(kSignals[i], nullptr, &now);
    if (now.sa_handler == on_signal) {
      ::sigaction(kSignals[i], &previous_actions[i], nullptr);
    }
  }
}

bool interrupted() { return first_signal_ns != 0; }

}  // namespace assay::run
