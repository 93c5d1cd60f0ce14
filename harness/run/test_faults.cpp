// SPDX-License-Identifier: Apache-2.0
#include "harness/run/test_faults.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace assay::run {
namespace {

// Whether the variable names the variant; it holds one name, or several with ";" between them.
bool asked(const char* variable, const std::string& variant_name) {
  const char* value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = rest.find(';');
    if (rest.substr(0, end) == variant_name) {
      return true;
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return false;
}

// A process that sleeps for good, in a session of its own; its parent is gone.
void leave_stray() {
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::setsid();
    if (::fork() == 0) {
      ::setsid();
      while (true) {
        ::pause();
      }
    }
    ::_exit(0);
  }
  ::waitpid(parent, nullptr, 0);
}

}  // namespace

void apply_test_faults(const std::string& variant_name) {
  if (asked("ASSAY_TEST_STRAY", variant_name)) {
    leave_stray();
  }
  if (asked("ASSAY_TEST_EAT", variant_name)) {
    std::vector<std::vector<char>> eaten;
    while (true) {
      eaten.emplace_back(std::size_t{64} << 20, 'x');
    }
  }
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
