// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "reports/exit_code.h"
#include "reports/printable.h"

namespace assay::cli {

void reserve_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) < 0) {
      // open() gives the lowest number that is free: this one. Reading only, so that a write to stdout still fails.
      (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

Status write_stdout(const std::string& text) {
  return write_stdout([&](const std::function<void(std::string_view)>& sink) { sink(text); });
}

Status write_stdout(const std::function<void(const std::function<void(std::string_view)>&)>& produce) {
  int failed = 0;  // errno of the first write that failed: what comes after it may set another
  produce([&](std::string_view text) {
    if (failed == 0 && std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
      failed = errno;
    }
  });
  if (failed == 0 && std::fflush(stdout) != 0) {
    failed = errno;
  }
  return failed == 0 || failed == EPIPE ? Status()
                                        : io_error(std::string("cannot write to stdout: ") + std::strerror(failed));
}

int print_data(const std::string& text, int code) {
  const Status status = write_stdout(text);
  return status.ok() ? code : complain(status.error().message, reports::kExitHarness);
}

void say(const std::string& text) {
  const std::string line = "assay: " + reports::one_line(text) + "\n";
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
  (void)std::fflush(stderr);
}

int complain(const std::string& text, int code) {
  say(text);
  return code;
}

int complain(const Error& error) { return complain(error.message, exit_code_of(error)); }

int exit_code_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kInvalidArgument:
    case ErrorKind::kInvalidModel:
    case ErrorKind::kUnsupported:
    case ErrorKind::kIo:  // of an input; where output cannot be written, the caller says 4 itself
      return reports::kExitUsage;
    case ErrorKind::kResource:
    case ErrorKind::kInternal:
      return reports::kExitHarness;
  }
  return reports::kExitHarness;
}

std::string program_as_called() {
  if (const char* command = std::getenv("ASSAY_COMMAND"); command != nullptr && *command != '\0') {
    return command;
  }
  const std::string_view called = program_invocation_name;
  return called.find('/') == std::string_view::npos ? "assay" : std::string(called);
}

std::size_t line_width() {
  constexpr std::size_t kElsewhere = 100;
  constexpr std::size_t kLeast = 40;
  const char* columns = std::getenv("COLUMNS");
  std::size_t width = columns == nullptr ? 0 : std::strtoul(columns, nullptr, 10);
  struct winsize size {};
  if (width == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    width = size.ws_col;
  }
  return std::max(width == 0 ? kElsewhere : width, kLeast);
}

bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }
bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) != 0; }

bool use_color(std::optional<bool> asked) {
  if (asked) {
    return *asked;
  }
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && stdout_is_terminal();
}

}  // namespace assay::cli
