// SPDX-License-Identifier: Apache-2.0
#include "harness/run/output_folder.h"

#include <filesystem>

#include "engine/base/input_file.h"
#include "engine/base/output_file.h"
#include "harness/run/journal.h"
#include "reports/files.h"
#include "reports/results_json.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

std::string path_in(const std::string& folder, std::string_view name) { return (fs::path(folder) / name).string(); }

// The first failure, or success; every file is tried.
Status write_all(const std::string& folder, reports::RunRecord& run) {
  Status first;
  for (const reports::ReportFile& file : reports::report_files()) {
    const Status status =
        replace_file(path_in(folder, file.name), [&](const ByteSink& sink) { file.render(run, sink); });
    if (!status.ok() && first.ok()) {
      first = status;
    }
    if (!status.ok() && run.harness_error.empty()) {
      run.harness_error = status.error().message;
    }
  }
  return first;
}

}  // namespace

Status prepare_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return io_error("cannot make the output folder " + folder + ": " + error.message());
  }
  return check_replaceable(path_in(folder, "results.part"));
}

void remove_reports(const std::string& folder) {
  for (const reports::ReportFile& file : reports::report_files()) {
    std::error_code error;
    fs::remove(path_in(folder, file.name), error);
  }
}

Status write_reports(const std::string& folder, reports::RunRecord& run) {
  const bool sound = run.harness_error.empty();
  const Status status = write_all(folder, run);
  if (!status.ok() && sound) {
    (void)write_all(folder, run);  // those before the failure do not know of it yet
  }
  return status;
}

Result<reports::RunRecord> read_run(const std::string& path) {
  std::string file = path;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    file = path_in(path, "results.json");
    if (!fs::exists(file, error) && fs::exists(path_in(path, reports::kJournalName), error)) {
      reports::RunRecord run;
      ASSAY_ASSIGN(std::vector<reports::VariantResult> results, read_journal(path));
      run.results = reports::ResultList(std::move(results));
      run.interrupted = true;  // a run that has ended has a results.json
      return run;
    }
  }
  ASSAY_ASSIGN(const std::string text, read_file(file));
  reports::ParsedRun parsed = reports::parse_results_json(text);
  if (!parsed.run) {
    return invalid_argument(file + " is no results.json: " + parsed.error);
  }
  return std::move(*parsed.run);
}

}  // namespace assay::run
