// SPDX-License-Identifier: Apache-2.0
#include "harness/run/output_folder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include "reports/files.h"
#include "reports/results_json.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

std::string path_in(const std::string& folder, std::string_view name) { return (fs::path(folder) / name).string(); }

Error cannot(const std::string& what, const std::string& path) {
  return io_error("cannot " + what + " " + path + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

}  // namespace

Status prepare_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return io_error("cannot make the output folder " + folder + ": " + error.message());
  }
  const std::string probe = path_in(folder, ".writable");
  ASSAY_TRY(write_text_file(probe, ""));
  fs::remove(probe, error);
  return {};
}

Status write_text_file(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? Status() : cannot("write", path);
}

Result<std::string> read_text_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file.is_open() || file.bad() || fs::is_directory(path)) {
    return cannot("read", path);
  }
  return text.str();
}

void remove_reports(const std::string& folder) {
  for (const reports::ReportFile& file : reports::report_files()) {
    std::error_code error;
    fs::remove(path_in(folder, file.name), error);
  }
}

Status write_reports(const std::string& folder, const reports::RunRecord& run) {
  for (const reports::ReportFile& file : reports::report_files()) {
    const std::string path = path_in(folder, file.name);
    const std::string part = path + ".part";
    ASSAY_TRY(write_text_file(part, file.render(run)));
    std::error_code error;
    fs::rename(part, path, error);
    if (error) {
      return io_error("cannot write " + path + ": " + error.message());
    }
  }
  return {};
}

Result<Journal> Journal::open(const std::string& folder, bool keep) {
  Journal journal(path_in(folder, reports::kJournalName));
  if (keep && fs::exists(journal.path_)) {
    ASSAY_ASSIGN(const std::string text, read_text_file(journal.path_));
    const std::size_t end = text.rfind('\n');
    if (end != text.size() - 1) {
      ASSAY_TRY(write_text_file(journal.path_, end == std::string::npos ? "" : text.substr(0, end + 1)));
    }
  }
  errno = 0;
  journal.file_.open(journal.path_, std::ios::binary | (keep ? std::ios::app : std::ios::trunc));
  if (!journal.file_) {
    return cannot("write", journal.path_);
  }
  return journal;
}

Status Journal::append(const reports::VariantResult& result) {
  errno = 0;
  file_ << reports::journal_line(result) << std::flush;
  if (!file_) {
    const Error error = cannot("write", path_);
    file_.clear();  // the disk may have room again for the next one
    return error;
  }
  return {};
}

Result<std::vector<reports::VariantResult>> read_journal(const std::string& folder) {
  const std::string path = path_in(folder, reports::kJournalName);
  std::vector<reports::VariantResult> results;
  if (!fs::exists(path)) {
    return results;
  }
  ASSAY_ASSIGN(const std::string text, read_text_file(path));
  std::map<std::string, std::size_t> positions;
  for (reports::VariantResult& result : reports::parse_journal(text)) {
    const auto [position, added] = positions.try_emplace(result.name, results.size());
    if (added) {
      results.push_back(std::move(result));
    } else {
      results[position->second] = std::move(result);
    }
  }
  return results;
}

Result<reports::RunRecord> read_run(const std::string& path) {
  std::string file = path;
  if (fs::is_directory(path)) {
    file = path_in(path, "results.json");
    if (!fs::exists(file) && fs::exists(path_in(path, reports::kJournalName))) {
      reports::RunRecord run;
      ASSAY_ASSIGN(run.results, read_journal(path));
      return run;
    }
  }
  ASSAY_ASSIGN(const std::string text, read_text_file(file));
  reports::ParsedRun parsed = reports::parse_results_json(text);
  if (!parsed.run) {
    return invalid_argument(file + " is no results.json: " + parsed.error);
  }
  return std::move(*parsed.run);
}

}  // namespace assay::run
