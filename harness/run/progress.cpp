// SPDX-License-Identifier: Apache-2.0
#include "harness/run/progress.h"

#include <fmt/format.h>

#include <cstdio>

namespace assay::run {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kHeartbeat{10};
constexpr std::size_t kWidth = 100;

// Progress that cannot be shown (stderr closed, its disk full) is not missed: the outcome is the same.
void print(const std::string& text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

}  // namespace

Progress::Progress(std::size_t total, bool terminal) : total_(total), terminal_(terminal), last_(Clock::now()) {}

void Progress::show(const std::string& text) {
  last_ = Clock::now();
  if (terminal_) {
    print("\r\x1b[K" + text.substr(0, kWidth));
    line_open_ = true;
  } else {
    print("assay: " + text + "\n");
  }
}

void Progress::done(const reports::VariantResult& result) {
  ++done_;
  failures_ += reports::is_failure(result.outcome) ? 1 : 0;
  if (Clock::now() - last_ < (terminal_ ? std::chrono::milliseconds(kRedraw) : std::chrono::milliseconds(kHeartbeat))) {
    return;
  }
  const std::size_t filled = total_ == 0 ? 0 : done_ * 20 / total_;
  const std::string bar = terminal_ ? "[" + std::string(filled, '#') + std::string(20 - filled, '.') + "] " : "";
  show(fmt::format("{}{} of {} variants, {} failures{}", bar, done_, total_, failures_,
                   terminal_ ? "  " + result.case_name : ""));
}

void Progress::say(const std::string& text) { show(text); }

void Progress::finish() {
  if (line_open_) {
    print("\r\x1b[K");
    line_open_ = false;
  }
}

}  // namespace assay::run
