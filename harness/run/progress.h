// SPDX-License-Identifier: Apache-2.0
// Progress on stderr: one line rewritten in place on a terminal, else a line now and then.
#pragma once

#include <chrono>
#include <string>

#include "reports/record.h"

namespace assay::run {

class Progress {
 public:
  Progress(std::size_t total, bool terminal);
  void done(const reports::VariantResult& result);
  // Free text, as for the timing phase.
  void say(const std::string& text);
  // Ends the rewritten line.
  void finish();

 private:
  void show(const std::string& text);
  std::size_t total_;
  std::size_t done_ = 0;
  std::size_t failures_ = 0;
  bool terminal_;
  bool line_open_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace assay::run
