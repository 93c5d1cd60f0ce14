// SPDX-License-Identifier: Apache-2.0
#include "harness/run/interrupt.h"

#include <signal.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "engine/base/unfinished_files.h"

namespace assay::run {
namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::int64_t kPatienceNs = 1'000'000'000;

std::array<struct sigaction, kSignals.size()> previous_actions{};

// CLOCK_MONOTONIC of the first signal; 0: none came.
std::atomic<std::int64_t> first_signal_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);  // for use in a signal handler

void on_signal(int signal) {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  std::int64_t first = 0;
  if (!first_signal_ns.compare_exchange_strong(first, now_ns) && now_ns - first > kPatienceNs) {
    remove_unfinished_files();
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // delivered when this handler returns
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  first_signal_ns = 0;
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
