// SPDX-License-Identifier: Apache-2.0
#include "harness/run/test_faults.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

namespace assay::run {
namespace {

bool asked(const char* variable, const std::string& variant_name) {
  const char* value = std::getenv(variable);
  return value != nullptr && variant_name == value;
}

}  // namespace

void apply_test_faults(const std::string& variant_name) {
  if (asked("ASSAY_TEST_CRASH", variant_name)) {
    std::abort();
  }
  if (asked("ASSAY_TEST_KILL", variant_name)) {
    ::kill(::getpid(), SIGKILL);
  }
  while (asked("ASSAY_TEST_HANG", variant_name)) {
    ::pause();
  }
}

}  // namespace assay::run
