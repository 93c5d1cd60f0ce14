// SPDX-License-Identifier: Apache-2.0
#include "harness/run/interrupt.h"

#include <signal.h>

namespace assay::run {
namespace {

volatile sig_atomic_t interrupt_flag = 0;

void on_signal(int signal) {
  interrupt_flag = 1;
  ::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_flag = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: poll returns at once
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

InterruptGuard::~InterruptGuard() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
}

bool interrupted() { return interrupt_flag != 0; }

}  // namespace assay::run
