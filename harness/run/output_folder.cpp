// SPDX-License-Identifier: Apache-2.0
#include "harness/run/output_folder.h"

#include <deque>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/input_file.h"
#include "engine/base/output_file.h"
#include "harness/run/journal.h"
#include "reports/files.h"
#include "reports/results_json.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

std::string path_in(const std::string& folder, std::string_view name) { return (fs::path(folder) / name).string(); }

// The first failure, or success; every file is tried. One reading of the results serves all of them.
Status write_all(const std::string& folder, reports::RunRecord& run) {
  Status first;
  const auto note = [&](const Status& status) {
    if (!status.ok() && first.ok()) {
      first = status;
    }
    if (!status.ok() && run.harness_error.empty()) {
      run.harness_error = status.error().message;
    }
  };
  std::deque<FileReplacement> files;  // stay where they are
  std::vector<std::unique_ptr<reports::Renderer>> renderers;
  for (const reports::ReportFile& row : reports::report_files()) {
    Result<FileReplacement> begun = FileReplacement::begin(path_in(folder, row.name));
    if (!begun.ok()) {
      note(begun.error());
      continue;
    }
    FileReplacement& file = files.emplace_back(std::move(begun).value());
    renderers.push_back(row.start(run, [&file](std::string_view text) { file.write(text); }));
  }
  reports::feed(run.results, renderers);
  for (FileReplacement& file : files) {
    note(file.commit());
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

Result<reports::RunRecord> read_run(const std::string& path, std::size_t* lost) {
  std::string file = path;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    file = path_in(path, "results.json");
    if (!fs::exists(file, error) && fs::exists(path_in(path, reports::kJournalName), error)) {
      reports::RunRecord run;
      ASSAY_ASSIGN(JournalContents contents, read_journal(path));
      run.results = reports::ResultList(std::move(contents.results));
      if (lost != nullptr) {
        *lost = contents.lost;
      }
      run.interrupted = !fs::exists(path_in(path, "verdict.json"), error);  // the last file of a run that has ended
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
