// SPDX-License-Identifier: Apache-2.0
#include "harness/run/progress.h"

#include <fmt/format.h>

namespace assay::run {

Progress::Progress(std::size_t total, bool terminal) : line_(terminal), total_(total) {}

void Progress::done(const reports::VariantResult& result) {
  ++done_;
  failures_ += reports::is_failure(result.outcome) ? 1 : 0;
  if (!line_.due()) {
    return;
  }
  const bool terminal = line_.terminal();
  line_.show(fmt::format("{}{} of {} variants, {} failures{}", terminal ? progress_bar(done_, total_) : "", done_,
                         total_, failures_, terminal ? "  " + result.case_name : ""));
}

void Progress::say(const std::string& text) { line_.show(text); }

void Progress::finish() { line_.finish(); }

}  // namespace assay::run
