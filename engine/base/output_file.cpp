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

#include "engine/base/unfinished_files.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const std::string& path, int code) {
  return io_error("cannot write '" + path + "': " + std::strerror(code));
}

// Closes when it goes, unless closed before.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool close() {
    const int number = number_;
    number_ = -1;
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

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

using Producer = std::function<void(const ByteSink&)>;

// Writes what the producer gives, in large pieces. 0, or the errno of what failed first.
int write_produced(int descriptor, const Producer& produce) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string pending;
  int code = 0;
  const auto flush = [&] {
    code = code == 0 ? write_all(descriptor, pending) : code;
    pending.clear();
  };
  produce([&](std::string_view bytes) {
    if (bytes.size() >= kPiece) {
      flush();
      code = code == 0 ? write_all(descriptor, bytes) : code;
      return;
    }
    pending += bytes;
    if (pending.size() >= kPiece) {
      flush();
    }
  });
  flush();
  return code;
}

Status write_in_place(const std::string& path, const struct stat& found, const Producer& produce) {
  if (const auto stream = standard_stream(found)) {
    std::fflush(*stream == STDOUT_FILENO ? stdout : stderr);
    const int code = write_produced(*stream, produce);
    return code == 0 ? Status() : cannot_write(path, code);
  }
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number() < 0) {
    return cannot_write(path, errno);
  }
  if (const int code = write_produced(file.number(), produce); code != 0) {
    return cannot_write(path, code);
  }
  return file.close() ? Status() : cannot_write(path, errno);
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

// 0, or the errno of what failed.
int fill(const Part& part, const Place& place, const Producer& produce) {
  Descriptor file(part.descriptor);
  if (const int code = write_produced(file.number(), produce); code != 0) {
    return code;
  }
  if (place.found && ::fchmod(file.number(), place.found->st_mode & 07777) != 0) {
    return errno;
  }
  if (!file.close() || ::rename(part.path.c_str(), place.target.c_str()) != 0) {
    return errno;
  }
  return 0;
}

}  // namespace

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

Status replace_file(const std::string& path, const Producer& produce) {
  ASSAY_ASSIGN(const Place place, look_at(path));
  if (place.in_place) {
    return write_in_place(path, *place.found, produce);
  }
  ASSAY_ASSIGN(const Part part, make_part(path, place));
  if (const int code = fill(part, place, produce); code != 0) {
    ::unlink(part.path.c_str());
    return cannot_write(path, code);
  }
  return {};
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
