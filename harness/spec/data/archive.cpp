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

Result<Tensor> load_npz(const std::string& path, const std::string& key) {
  ASSAY_ASSIGN(const Archive archive, open_archive(path));
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
  const Entry entry(zip_fopen(archive.get(), member.c_str(), 0));
  if (!entry) {
    return io_error(fmt::format("{}: array '{}': {}", path, name, zip_strerror(archive.get())));
  }
  // Grown as data arrive: the announced size is the archive's word only.
  std::vector<std::byte> bytes;
  constexpr std::size_t kChunkBytes = 1U << 20U;
  for (std::size_t size = 0;;) {
    bytes.resize(size + kChunkBytes);
    const zip_int64_t got = zip_fread(entry.get(), bytes.data() + size, kChunkBytes);
    if (got < 0) {
      return io_error(fmt::format("{}: array '{}': {}", path, name, zip_file_strerror(entry.get())));
    }
    size += static_cast<std::size_t>(got);
    if (got == 0) {
      bytes.resize(size);
      break;
    }
    if (size > kMaxEntryBytes) {
      return resource_error(fmt::format("{}: array '{}' has more than {} bytes", path, name, kMaxEntryBytes));
    }
  }
  Result<Tensor> tensor = parse_npy(bytes);
  if (!tensor.ok()) {
    return Error{tensor.error().kind, fmt::format("{}: array '{}': {}", path, name, tensor.error().message)};
  }
  return tensor;
}

}  // namespace assay::spec
