// SPDX-License-Identifier: Apache-2.0
#include "engine/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

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
    const std::string name = ".assay-" + std::to_string(::getpid()) + "-" + std::to_string(serial++) + ".part";
    Part part{.path = (folder / name).string(), .descriptor = -1};
    part.note = UnfinishedFile(part.path);
    part.descriptor = ::open(part.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (part.descriptor >= 0) {
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

}  // namespace assay
