// SPDX-License-Identifier: Apache-2.0
#include "harness/run/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/input_file.h"
#include "harness/run/maker.h"
#include "harness/run/output_folder.h"
#include "reports/files.h"

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

// Reads `count` bytes from `offset` on, or fewer where the file ends.
Result<std::size_t> read_at(int descriptor, const std::string& path, std::uint64_t offset, char* bytes,
                            std::size_t count) {
  std::size_t total = 0;
  while (total < count) {
    const ssize_t got = ::pread(descriptor, bytes + total, count - total, static_cast<off_t>(offset + total));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return cannot("read", path, errno);
    }
    if (got == 0) {
      break;
    }
    total += static_cast<std::size_t>(got);
  }
  return total;
}

Status write_whole(int descriptor, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return cannot("write", path, written < 0 ? errno : ENOSPC);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Calls `visit` for every whole line and gives the size of these lines together.
Result<std::uint64_t> for_each_line(int descriptor, const std::string& path,
                                    const std::function<void(std::string_view line, std::uint64_t offset)>& visit) {
  std::string pending;
  std::uint64_t start = 0;  // of `pending`
  std::vector<char> block(std::size_t{1} << 20);
  while (true) {
    ASSAY_ASSIGN(const std::size_t got, read_at(descriptor, path, start + pending.size(), block.data(), block.size()));
    if (got == 0) {
      return start;
    }
    std::size_t searched = pending.size();
    pending.append(block.data(), got);
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = pending.find('\n', std::max(searched, begin))) != std::string::npos;) {
      visit(std::string_view(pending).substr(begin, end + 1 - begin), start + begin);
      begin = end + 1;
      searched = begin;
    }
    pending.erase(0, begin);
    start += begin;
  }
}

}  // namespace

Status check_not_running(const std::string& folder) {
  const int descriptor = ::open(journal_path(folder).c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) {
    return {};
  }
  struct flock holder = whole_file();
  const bool held = ::fcntl(descriptor, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK;
  const Status status = held ? Status(in_use(folder, descriptor)) : Status();
  ::close(descriptor);
  return status;
}

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
  const off_t size = ::lseek(journal.descriptor_, 0, SEEK_END);
  journal.size_ = size > 0 ? static_cast<std::uint64_t>(size) : 0;
  return journal;
}

Result<Journal> Journal::unnamed() {
  std::error_code error;
  const std::filesystem::path folder = fs::temp_directory_path(error);
  Journal journal(error ? "/tmp" : folder.string());
  std::string pattern = journal.path_ + "/assay-XXXXXX";
  journal.descriptor_ = ::mkostemp(pattern.data(), O_APPEND | O_CLOEXEC);
  if (journal.descriptor_ < 0) {
    return cannot("write", pattern, errno);
  }
  ::unlink(pattern.c_str());
  return journal;
}

Journal::Journal(Journal&& other) noexcept { *this = std::move(other); }

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(made_by_, other.made_by_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

Journal::~Journal() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<std::size_t> Journal::for_each(const Visitor& visit, const std::function<void(const Extent&)>& damaged) const {
  std::size_t damaged_lines = 0;
  ASSAY_ASSIGN(const std::uint64_t whole,
               for_each_line(descriptor_, path_, [&](std::string_view line, std::uint64_t offset) {
                 const Extent extent{.offset = offset, .length = static_cast<std::uint32_t>(line.size())};
                 if (std::optional<JournalEntry> entry = read_journal_line(line)) {
                   visit(std::move(*entry), extent);
                 } else if (line.find_first_not_of(" \n") != std::string_view::npos) {
                   ++damaged_lines;
                   if (damaged) {
                     damaged(extent);
                   }
                 }
               }));
  return damaged_lines + (whole < size_ ? 1 : 0);
}

Result<reports::VariantResult> Journal::read(const Extent& extent) const {
  std::string line(extent.length, '\0');
  ASSAY_ASSIGN(const std::size_t got, read_at(descriptor_, path_, extent.offset, line.data(), line.size()));
  std::optional<JournalEntry> entry = read_journal_line(std::string_view(line).substr(0, got));
  if (!entry) {
    return io_error(path_ + " has changed while it was in use");
  }
  return std::move(entry->result);
}

Status Journal::cut(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    return cannot("shorten", path_, errno);
  }
  size_ = size;
  return {};
}

Status Journal::repair() {
  ASSAY_ASSIGN(const std::uint64_t whole, for_each_line(descriptor_, path_, [](std::string_view, std::uint64_t) {}));
  return cut(whole);
}

Status Journal::clear() { return cut(0); }

Status Journal::set_aside(const std::vector<Extent>& damaged) {
  if (damaged.empty()) {
    return {};
  }
  const std::string path = (fs::path(path_).parent_path() / kDamagedName).string();
  const int aside = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (aside < 0) {
    return cannot("write", path, errno);
  }
  Status status;
  std::string line;
  for (std::size_t i = 0; i < damaged.size() && status.ok(); ++i) {
    line.resize(damaged[i].length);
    const Result<std::size_t> got = read_at(descriptor_, path_, damaged[i].offset, line.data(), line.size());
    status = got.ok() ? write_whole(aside, path, std::string_view(line).substr(0, got.value())) : Status(got.error());
  }
  if (::close(aside) != 0 && status.ok()) {
    status = cannot("write", path, errno);
  }
  ASSAY_TRY(status);
  // Where a descriptor appends, pwrite does too. Another one would take the lock with it when it is closed.
  const int flags = ::fcntl(descriptor_, F_GETFL);
  if (flags < 0 || ::fcntl(descriptor_, F_SETFL, flags & ~O_APPEND) != 0) {
    return cannot("write", path_, errno);
  }
  for (const Extent& extent : damaged) {
    line.assign(extent.length - 1, ' ');
    const ssize_t written = ::pwrite(descriptor_, line.data(), line.size(), static_cast<off_t>(extent.offset));
    if (written != static_cast<ssize_t>(line.size()) && status.ok()) {
      status = cannot("write", path_, written < 0 ? errno : ENOSPC);
    }
  }
  if (::fcntl(descriptor_, F_SETFL, flags) != 0) {
    return cannot("write", path_, errno);
  }
  return status;
}

Result<Extent> Journal::append(const reports::VariantResult& result, const reports::Json& runtimes) {
  reports::Json with_runtimes;
  if (!runtimes.empty()) {
    with_runtimes = made_by_;
    with_runtimes[kRuntimesKey] = runtimes;
  }
  const std::string line = journal_line(result, runtimes.empty() ? made_by_ : with_runtimes);
  if (Status written = write_whole(descriptor_, path_, line); !written.ok()) {
    (void)cut(size_);  // the next line must not grow on to half of this one
    return written.error();
  }
  const Extent extent{.offset = size_, .length = static_cast<std::uint32_t>(line.size())};
  size_ += line.size();
  return extent;
}

Result<JournalContents> read_journal(const std::string& folder) {
  const std::string path = journal_path(folder);
  std::error_code error;
  if (!fs::exists(path, error)) {
    return JournalContents();
  }
  ASSAY_ASSIGN(const std::string text, read_file(path));
  JournalContents contents;
  std::map<std::string, std::size_t> positions;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    std::optional<JournalEntry> entry = line.ends_with('\n') ? read_journal_line(line) : std::nullopt;
    rest.remove_prefix(line.size());
    if (!entry) {
      contents.lost += line.find_first_not_of(" \n") == std::string_view::npos ? 0 : 1;
      continue;
    }
    const auto [position, added] = positions.try_emplace(entry->result.name, contents.results.size());
    if (added) {
      contents.results.push_back(std::move(entry->result));
    } else {
      contents.results[position->second] = std::move(entry->result);
    }
  }
  return contents;
}

}  // namespace assay::run
