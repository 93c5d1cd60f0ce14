// SPDX-License-Identifier: Apache-2.0
// The last step of `run` and `report`: the run on stdout, and its exit code.
#pragma once

#include <functional>
#include <string>

#include "harness/cli/flags.h"
#include "reports/record.h"
#include "reports/sink.h"

namespace assay::cli {

// Prints what `render` makes of the run and gives the run's exit code. Where stdout cannot be written, that becomes the
// run's harness_error, and the reports in `folder` ("": there are none) are written again, to say so too.
int print_run(reports::RunRecord& run, const std::string& folder,
              const std::function<void(const reports::Sink&)>& render);

// What `report` and `merge` do with a run once they have it: the files that the flags ask for,
// the run on stdout, and its exit code. A selection of nothing leaves the folder alone.
struct RenderFlags {
  std::string folder;
  std::string format;  // one of reports::report_formats(); "": the console table
  OutputFlags output;
  bool verbose = false;

  void define(CLI::App& command);
};
int report_run(reports::RunRecord& run, const RenderFlags& flags);

}  // namespace assay::cli
