// SPDX-License-Identifier: Apache-2.0
// A line of progress on stderr: rewritten in place on a terminal, else a new line now and then.
#pragma once

#include <chrono>
#include <string>

namespace assay::run {

class ProgressLine {
 public:
  explicit ProgressLine(bool terminal);
  // Whether it is time again: ten times a second on a terminal, else every ten seconds.
  bool due() const;
  void show(const std::string& text);
  // Ends the rewritten line.
  void finish();
  bool terminal() const { return terminal_; }

 private:
  bool terminal_;
  bool line_open_ = false;
  std::chrono::steady_clock::time_point last_;
};

// "[########............] " for a terminal.
std::string progress_bar(std::size_t done, std::size_t total);

}  // namespace assay::run
