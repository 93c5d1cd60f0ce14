// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/array_stream.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "engine/base/input_file.h"
#include "harness/spec/data/archive.h"
#include "harness/spec/data_source.h"

namespace assay::spec {
namespace {

class FileReader final : public ByteReader {
 public:
  FileReader(const std::string& path, std::ifstream file, std::uint64_t size_bytes)
      : ByteReader(path + ": ", size_bytes), file_(std::move(file)) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    file_.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
    if (file_.bad()) {
      return io_error(what() + "cannot be read");
    }
    return static_cast<std::size_t>(file_.gcount());
  }

 private:
  std::ifstream file_;
};

Result<std::unique_ptr<ByteReader>> read_file_bytes(const std::string& path) {
  ASSAY_TRY(check_regular_file(path));
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    return io_error(path + ": cannot be read");
  }
  const auto size = static_cast<std::uint64_t>(file.tellg());
  file.seekg(0);
  return std::unique_ptr<ByteReader>(std::make_unique<FileReader>(path, std::move(file), size));
}

// The header that the reader is in front of; afterwards it is in front of the data.
Result<NpyHeader> read_header(ByteReader& reader) {
  std::vector<std::byte> bytes(kNpyPreambleBytes);
  ASSAY_ASSIGN(const std::size_t preamble, reader.read(bytes));
  bytes.resize(preamble);
  ASSAY_ASSIGN(const std::size_t end, npy_header_bytes(bytes));
  if (end > preamble && end <= reader.size_bytes()) {
    bytes.resize(end);
    ASSAY_ASSIGN(const std::size_t rest, reader.read({bytes.data() + preamble, end - preamble}));
    bytes.resize(preamble + rest);
  }
  ASSAY_ASSIGN(const NpyHeader header, parse_npy_header(bytes));
  ASSAY_TRY(check_npy_size(header, static_cast<std::size_t>(reader.size_bytes()) - header.data_offset));
  return header;
}

Error with_file(const ByteReader& reader, const Error& error) {
  return error.message.starts_with(reader.what()) ? error : Error{error.kind, reader.what() + error.message};
}

}  // namespace

Result<ArrayStream> ArrayStream::open_npy(const std::string& path) {
  return make([path] { return read_file_bytes(path); }, [path] { return load_npy(path); });
}

Result<ArrayStream> ArrayStream::open_npz(const std::string& path, const std::string& key) {
  return make([path, key] { return read_npz(path, key); }, [path, key] { return load_npz(path, key); });
}

Result<ArrayStream> ArrayStream::make(const Open& open, const std::function<Result<Tensor>()>& load) {
  ArrayStream stream;
  stream.open_ = open;
  ASSAY_TRY(stream.rewind());
  if (stream.header_.columns_first) {
    ASSAY_ASSIGN(stream.whole_, load());
  }
  return stream;
}

Status ArrayStream::rewind() {
  ASSAY_ASSIGN(reader_, open_());
  Result<NpyHeader> header = read_header(*reader_);
  if (!header.ok()) {
    return with_file(*reader_, header.error());
  }
  header_ = std::move(header).value();
  next_ = 0;
  return {};
}

Status ArrayStream::read(std::span<std::byte> into) {
  ASSAY_ASSIGN(const std::size_t got, reader_->read(into));
  if (got < into.size()) {
    return io_error(fmt::format("{}the data end {} bytes too early", reader_->what(), into.size() - got));
  }
  return {};
}

Result<Tensor> ArrayStream::row(Index position) {
  ASSAY_ASSIGN(Tensor row,
               Tensor::allocate_uninitialized(header_.dtype, Shape(header_.shape.begin() + 1, header_.shape.end())));
  const std::span<std::byte> bytes(row.mutable_bytes(), row.size_bytes());
  if (!whole_.empty()) {
    if (!bytes.empty()) {
      std::memcpy(bytes.data(), whole_.bytes() + static_cast<std::size_t>(position) * bytes.size(), bytes.size());
    }
    return row;
  }
  if (position < next_) {
    ASSAY_TRY(rewind());
  }
  for (; next_ <= position; ++next_) {
    ASSAY_TRY(read(bytes));
  }
  adopt_npy_bytes(header_, bytes);
  return row;
}

}  // namespace assay::spec
