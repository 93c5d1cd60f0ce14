// SPDX-License-Identifier: Apache-2.0
#include "harness/run/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

#include "engine/base/input_file.h"
#include "harness/run/output_folder.h"
#include "reports/files.h"
#include "reports/results_json.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

std::string journal_path(const std::string& folder) { return (fs::path(folder) / reports::kJournalName).string(); }

Error cannot(const std::string& what, const std::string& path, int code) {
  return io_error("cannot " + what + " " + path + ": " + std::strerror(code));
}

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

Error in_use(const std::string& folder, int descriptor) {
  struct flock holder = whole_file();
  const bool known = ::fcntl(descriptor, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK && holder.l_pid > 0;
  return io_error("the output folder " + folder + " is in use by another run" +
                  (known ? " (process " + std::to_string(holder.l_pid) + ")" : "") +
                  ": wait for it, or name another folder with -o");
}

Result<std::string> read_all(int descriptor, const std::string& path) {
  std::string text;
  std::array<char, 1 << 16> block{};
  while (true) {
    const ssize_t got = ::pread(descriptor, block.data(), block.size(), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return cannot("read", path, errno);
    }
    if (got == 0) {
      return text;
    }
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

std::vector<reports::VariantResult> last_of_each_name(const std::string& text) {
  std::vector<reports::VariantResult> results;
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

}  // namespace

Result<Journal> Journal::open(const std::string& folder) {
  Journal journal(journal_path(folder));
  journal.descriptor_ = ::open(journal.path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (journal.descriptor_ < 0) {
    return cannot("write", journal.path_, errno);
  }
  struct flock lock = whole_file();
  // Other errors: a file system without locks, on which a run is no less useful.
  if (::fcntl(journal.descriptor_, F_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) {
    return in_use(folder, journal.descriptor_);
  }
  return journal;
}

Journal::Journal(Journal&& other) noexcept { *this = std::move(other); }

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Journal::~Journal() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<std::vector<reports::VariantResult>> Journal::results() const {
  ASSAY_ASSIGN(const std::string text, read_all(descriptor_, path_));
  return last_of_each_name(text);
}

Status Journal::cut(std::size_t size) {
  return ::ftruncate(descriptor_, static_cast<off_t>(size)) == 0 ? Status() : cannot("shorten", path_, errno);
}

Status Journal::repair() {
  ASSAY_ASSIGN(const std::string text, read_all(descriptor_, path_));
  const std::size_t end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  return whole == text.size() ? Status() : cut(whole);
}

Status Journal::clear() { return cut(0); }

Status Journal::append(const reports::VariantResult& result) {
  const std::string line = reports::journal_line(result);
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      const int code = written < 0 ? errno : ENOSPC;
      if (before >= 0) {
        (void)cut(static_cast<std::size_t>(before));  // the next line must not grow on to half of this one
      }
      return cannot("write", path_, code);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::vector<reports::VariantResult>> read_journal(const std::string& folder) {
  const std::string path = journal_path(folder);
  std::error_code error;
  if (!fs::exists(path, error)) {
    return std::vector<reports::VariantResult>();
  }
  ASSAY_ASSIGN(const std::string text, read_file(path));
  return last_of_each_name(text);
}

}  // namespace assay::run
