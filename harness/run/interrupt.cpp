// SPDX-License-Identifier: Apache-2.0
#include "harness/run/interrupt.h"

#include <signal.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace assay::run {
namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::int64_t kPatienceNs = 1'000'000'000;

// CLOCK_MONOTONIC of the first signal; 0: none came.
std::atomic<std::int64_t> first_signal_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);  // for use in a signal handler

void on_signal(int signal) {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  std::int64_t first = 0;
  if (!first_signal_ns.compare_exchange_strong(first, now_ns) && now_ns - first > kPatienceNs) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // delivered when this handler returns
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  first_signal_ns = 0;
  for (const int signal : kSignals) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (signal == SIGHUP && before.sa_handler == SIG_IGN) {
      continue;
    }
    struct sigaction action {};
    action.sa_handler = on_signal;  // without SA_RESTART: poll returns at once
    ::sigaction(signal, &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  if (interrupted()) {
    return;  // a repeat that comes while the process ends must not change how it ends
  }
  for (const int signal : kSignals) {
    struct sigaction now {};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler == on_signal) {
      ::signal(signal, SIG_DFL);
    }
  }
}

bool interrupted() { return first_signal_ns != 0; }

}  // namespace assay::run
