// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/archive.h"

#include <memory>

#include <fmt/format.h>
#include <zip.h>

#include "engine/base/input_file.h"
#include "harness/spec/data/npy.h"

namespace assay::spec {
namespace {

// More than any tensor of a test; larger announcements are taken for damage.
constexpr zip_uint64_t kMaxEntryBytes = zip_uint64_t{1} << 34U;

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;
using Entry = std::unique_ptr<zip_file_t, CloseEntry>;

Result<Archive> open_archive(const std::string& path) {
  ASSAY_TRY(check_regular_file(path));
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    return io_error(fmt::format("{}: not a readable .npz: {}", path, reason));
  }
  return archive;
}

class EntryReader final : public ByteReader {
 public:
  EntryReader(Archive archive, Entry entry, std::string what, std::uint64_t size_bytes)
      : ByteReader(std::move(what), size_bytes), archive_(std::move(archive)), entry_(std::move(entry)) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const zip_int64_t got = zip_fread(entry_.get(), into.data() + done, into.size() - done);
      if (got < 0) {
        return io_error(what() + zip_file_strerror(entry_.get()));
      }
      if (got == 0) {
        break;
      }
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  Archive archive_;
  Entry entry_;  // closed before its archive
};

std::vector<std::string> keys_of(zip_t* archive) {
  std::vector<std::string> keys;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    std::string key = name == nullptr ? "" : name;
    if (key.ends_with(".npy")) {
      key.resize(key.size() - 4);
      keys.push_back(std::move(key));
    }
  }
  return keys;
}

}  // namespace

Result<std::vector<std::string>> npz_keys(const std::string& path) {
  ASSAY_ASSIGN(const Archive archive, open_archive(path));
  return keys_of(archive.get());
}

Result<std::unique_ptr<ByteReader>> read_npz(const std::string& path, const std::string& key) {
  ASSAY_ASSIGN(Archive archive, open_archive(path));
  const std::vector<std::string> keys = keys_of(archive.get());
  std::string name = key;
  if (key.empty()) {
    if (keys.size() != 1) {
      return invalid_argument(
          fmt::format("{} has the arrays '{}': name one with 'key'", path, fmt::join(keys, "', '")));
    }
    name = keys.front();
  }
  const std::string member = name + ".npy";
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat(archive.get(), member.c_str(), 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0) {
    return invalid_argument(fmt::format("{} has no array '{}'; it has '{}'", path, name, fmt::join(keys, "', '")));
  }
  if (stat.size > kMaxEntryBytes) {
    return resource_error(fmt::format("{}: array '{}' announces {} bytes", path, name, stat.size));
  }
  Entry entry(zip_fopen(archive.get(), member.c_str(), 0));
  if (!entry) {
    return io_error(fmt::format("{}: array '{}': {}", path, name, zip_strerror(archive.get())));
  }
  return std::unique_ptr<ByteReader>(std::make_unique<EntryReader>(
      std::move(archive), std::move(entry), fmt::format("{}: array '{}': ", path, name), stat.size));
}

Result<Tensor> load_npz(const std::string& path, const std::string& key) {
  ASSAY_ASSIGN(const std::unique_ptr<ByteReader> reader, read_npz(path, key));
  // Grown as data arrive: the announced size is the archive's word only.
  std::vector<std::byte> bytes;
  constexpr std::size_t kChunkBytes = 1U << 20U;
  for (std::size_t size = 0;;) {
    bytes.resize(size + kChunkBytes);
    ASSAY_ASSIGN(const std::size_t got, reader->read({bytes.data() + size, kChunkBytes}));
    size += got;
    if (got < kChunkBytes) {
      bytes.resize(size);
      break;
    }
    if (size > kMaxEntryBytes) {
      return resource_error(fmt::format("{}has more than {} bytes", reader->what(), kMaxEntryBytes));
    }
  }
  Result<Tensor> tensor = parse_npy(bytes);
  if (!tensor.ok()) {
    return Error{tensor.error().kind, reader->what() + tensor.error().message};
  }
  return tensor;
}

}  // namespace assay::spec
