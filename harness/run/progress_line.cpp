// SPDX-License-Identifier: Apache-2.0
#include "harness/run/progress_line.h"

#include <cstdio>

#include "reports/printable.h"

namespace assay::run {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kHeartbeat{10};
constexpr std::size_t kWidth = 100;
constexpr std::size_t kBar = 20;

// Progress that cannot be shown (stderr closed, its disk full) is not missed: the outcome is the same.
void print(const std::string& text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

}  // namespace

ProgressLine::ProgressLine(bool terminal) : terminal_(terminal), last_(Clock::now()) {}

bool ProgressLine::due() const {
  return Clock::now() - last_ >=
         (terminal_ ? std::chrono::milliseconds(kRedraw) : std::chrono::milliseconds(kHeartbeat));
}

void ProgressLine::show(const std::string& raw) {
  const std::string text = reports::one_line(raw);
  last_ = Clock::now();
  if (terminal_) {
    print("\r\x1b[K" + text.substr(0, kWidth));
    line_open_ = true;
  } else {
    print("assay: " + text + "\n");
  }
}

void ProgressLine::finish() {
  if (line_open_) {
    print("\r\x1b[K");
    line_open_ = false;
  }
}

std::string progress_bar(std::size_t done, std::size_t total) {
  const std::size_t filled = total == 0 ? 0 : done * kBar / total;
  return "[" + std::string(filled, '#') + std::string(kBar - filled, '.') + "] ";
}

}  // namespace assay::run
