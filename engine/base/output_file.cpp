// SPDX-License-Identifier: Apache-2.0
#include "engine/base/output_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/unfinished_files.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const std::string& path, int code) {
  return io_error("cannot write '" + path + "': " + std::strerror(code));
}

// 0, or the errno of what failed.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return written < 0 ? errno : ENOSPC;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// stdout or stderr, if that is where the path leads: by another descriptor the two would overwrite one another.
std::optional<int> standard_stream(const struct stat& found) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own {};
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && ::fstat(descriptor, &own) == 0 && own.st_dev == found.st_dev &&
        own.st_ino == found.st_ino) {
      return descriptor;
    }
  }
  return std::nullopt;
}

// What there is at a path.
struct Place {
  std::string target;                // with symbolic links followed
  std::optional<struct stat> found;  // nothing: no such file yet
  bool in_place = false;             // cannot be replaced
};

Result<Place> look_at(const std::string& path) {
  if (path.empty()) {
    return invalid_argument("a file name is needed to write to, found ''");
  }
  Place place{.target = path, .found = std::nullopt, .in_place = false};
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    if (errno != ENOENT) {
      return cannot_write(path, errno);
    }
    if (path.ends_with('/')) {
      return io_error("cannot write '" + path + "': this names a folder, not a file");
    }
  } else {
    place.found = found;
    if (S_ISDIR(found.st_mode)) {
      return io_error("cannot write '" + path + "': this is a folder, not a file");
    }
    place.in_place = !S_ISREG(found.st_mode) || standard_stream(found).has_value();
    if (!place.in_place && ::access(path.c_str(), W_OK) != 0) {
      return cannot_write(path, errno);
    }
  }
  if (!place.in_place) {
    std::error_code error;
    const fs::path followed = fs::weakly_canonical(path, error);
    if (!error) {
      place.target = followed.string();
    }
  }
  return place;
}

// A new file's name is HEAD PROCESS - NUMBER TAIL.
constexpr std::string_view kPartHead = ".assay-";
constexpr std::string_view kPartTail = ".part";

// The process in the name of a new file; nothing for other names.
std::optional<pid_t> process_of_part(std::string_view name) {
  if (!name.starts_with(kPartHead) || !name.ends_with(kPartTail) ||
      name.size() <= kPartHead.size() + kPartTail.size()) {
    return std::nullopt;
  }
  const std::string_view middle = name.substr(kPartHead.size(), name.size() - kPartHead.size() - kPartTail.size());
  const std::size_t dash = middle.find('-');
  pid_t process = 0;
  unsigned number = 0;
  if (dash == std::string_view::npos) {
    return std::nullopt;
  }
  const char* const end = middle.data() + middle.size();
  const auto first = std::from_chars(middle.data(), middle.data() + dash, process);
  const auto second = std::from_chars(middle.data() + dash + 1, end, number);
  const bool whole = first.ec == std::errc() && first.ptr == middle.data() + dash && second.ec == std::errc() &&
                     second.ptr == end && process > 0;
  return whole ? std::optional(process) : std::nullopt;
}

// Nobody has it open to write: the lock is free. Between a file's making and its lock it is empty and its process
// lives.
bool is_abandoned(const std::string& path, pid_t process) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    return false;
  }
  struct stat found {};
  const bool file = ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
  const bool free = file && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  const bool being_made = found.st_size == 0 && (::kill(process, 0) == 0 || errno == EPERM);
  ::close(descriptor);
  return free && !being_made;
}

struct Part {
  std::string path;
  int descriptor = -1;
  UnfinishedFile note = {};  // while there is one
};

// A file of a name that nobody else has, in the folder of the target.
Result<Part> make_part(const std::string& path, const Place& place) {
  static std::atomic<unsigned> serial{0};
  const fs::path folder = fs::path(place.target).parent_path();
  while (true) {
    const std::string name =
        std::string(kPartHead) + std::to_string(::getpid()) + "-" + std::to_string(serial++) + std::string(kPartTail);
    Part part{.path = (folder / name).string(), .descriptor = -1};
    part.note = UnfinishedFile(part.path);
    part.descriptor = ::open(part.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (part.descriptor >= 0) {
      (void)::flock(part.descriptor, LOCK_EX | LOCK_NB);  // for as long as it is open: not abandoned
      return part;
    }
    if (errno != EEXIST && errno != EINTR) {
      return cannot_write(path, errno);
    }
  }
}

}  // namespace

struct FileReplacement::State {
  State(std::string wanted, Place found, Part made, int number, bool own)
      : path(std::move(wanted)), place(std::move(found)), part(std::move(made)), descriptor(number), owned(own) {}
  std::string path;
  Place place;
  Part part;  // with an empty path where the target is written as it is
  int descriptor;
  bool owned;  // closed at the end: not stdout or stderr
  std::string pending;
  int code = 0;  // errno of what failed first

  void flush() {
    code = code == 0 ? write_all(descriptor, pending) : code;
    pending.clear();
  }
  // Nothing is left of the new file.
  void discard() {
    if (owned && descriptor >= 0) {
      ::close(std::exchange(descriptor, -1));
    }
    if (!part.path.empty()) {
      ::unlink(std::exchange(part.path, std::string()).c_str());
    }
  }
};

Result<FileReplacement> FileReplacement::begin(const std::string& path) {
  ASSAY_ASSIGN(Place place, look_at(path));
  FileReplacement file;
  if (!place.in_place) {
    ASSAY_ASSIGN(Part part, make_part(path, place));
    const int descriptor = part.descriptor;
    file.state_ = std::make_unique<State>(path, std::move(place), std::move(part), descriptor, true);
    return file;
  }
  if (const auto stream = standard_stream(*place.found)) {
    std::fflush(*stream == STDOUT_FILENO ? stdout : stderr);
    file.state_ = std::make_unique<State>(path, std::move(place), Part(), *stream, false);
    return file;
  }
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return cannot_write(path, errno);
  }
  file.state_ = std::make_unique<State>(path, std::move(place), Part(), descriptor, true);
  return file;
}

FileReplacement::FileReplacement() = default;
FileReplacement::FileReplacement(FileReplacement&&) noexcept = default;
FileReplacement& FileReplacement::operator=(FileReplacement&&) noexcept = default;
FileReplacement::~FileReplacement() {
  if (state_) {
    state_->discard();
  }
}

void FileReplacement::write(std::string_view bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  State& state = *state_;
  if (state.code != 0) {
    return;
  }
  state.pending += bytes;
  if (state.pending.size() >= kPiece) {
    state.flush();
  }
  if (state.code != 0) {
    state.discard();  // the room that it takes may be what others lack
  }
}

Status FileReplacement::commit() {
  const std::unique_ptr<State> state = std::exchange(state_, nullptr);
  state->flush();
  const auto check = [&](bool done) { state->code = state->code == 0 && !done ? errno : state->code; };
  const bool replaces = !state->part.path.empty();
  if (state->code == 0 && replaces && state->place.found) {
    check(::fchmod(state->descriptor, state->place.found->st_mode & 07777) == 0);
  }
  if (state->code == 0 && state->owned) {
    check(::close(std::exchange(state->descriptor, -1)) == 0);
  }
  if (state->code == 0 && replaces) {
    check(::rename(state->part.path.c_str(), state->place.target.c_str()) == 0);
  }
  if (state->code != 0) {
    state->discard();
    return cannot_write(state->path, state->code);
  }
  return {};
}

Status replace_file(const std::string& path, std::string_view bytes) {
  return replace_file(path, [bytes](const ByteSink& sink) { sink(bytes); });
}

Status replace_file(const std::string& path, std::span<const std::string_view> pieces) {
  return replace_file(path, [pieces](const ByteSink& sink) {
    for (const std::string_view piece : pieces) {
      sink(piece);
    }
  });
}

Status replace_file(const std::string& path, const std::function<void(const ByteSink&)>& produce) {
  ASSAY_ASSIGN(FileReplacement file, FileReplacement::begin(path));
  produce([&file](std::string_view bytes) { file.write(bytes); });
  return file.commit();
}

Status check_replaceable(const std::string& path) {
  ASSAY_ASSIGN(const Place place, look_at(path));
  if (place.in_place) {
    return {};
  }
  ASSAY_ASSIGN(const Part part, make_part(path, place));
  ::close(part.descriptor);
  ::unlink(part.path.c_str());
  return {};
}

void remove_abandoned_parts(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const auto process = process_of_part(entry->path().filename().native());
    if (process && is_abandoned(entry->path().native(), *process)) {
      abandoned.push_back(entry->path());
    }
  }
  for (const fs::path& path : abandoned) {
    fs::remove(path, error);
  }
}

}  // namespace assay
