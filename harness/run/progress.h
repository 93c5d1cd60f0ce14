// SPDX-License-Identifier: Apache-2.0
// Progress of a run on stderr.
#pragma once

#include <string>

#include "harness/run/progress_line.h"
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
  ProgressLine line_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace assay::run
