// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/external_data.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "engine/onnx/text.h"

namespace assay::onnx {
namespace {

struct Location {
  std::string path;
  std::uintmax_t offset = 0;
  std::optional<std::uintmax_t> length;  // to the end of the file if absent
};

Result<std::uintmax_t> parse_number(const std::string& text, const std::string& key, const std::string& what) {
  std::uintmax_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return invalid_model(what + ": external data " + key + " '" + printable(text) + "' is not a byte count");
  }
  return value;
}

Result<Location> parse_location(const ::onnx::TensorProto& proto, const std::string& what) {
  Location location;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") {
      location.path = entry.value();
    } else if (entry.key() == "offset") {
      ASSAY_ASSIGN(location.offset, parse_number(entry.value(), "offset", what));
    } else if (entry.key() == "length") {
      ASSAY_ASSIGN(location.length, parse_number(entry.value(), "length", what));
    }
  }
  if (location.path.empty()) {
    return invalid_model(what + ": external data without a location");
  }
  return location;
}

// The real path, if it is inside the folder.
Result<std::filesystem::path> resolve(const Location& location, const std::string& folder, const std::string& what) {
  const std::string shown = "external data '" + printable(location.path) + "'";
  std::error_code error;
  const auto base = std::filesystem::canonical(folder.empty() ? "." : folder, error);
  if (error) {
    return io_error(what + ": cannot find folder '" + folder + "': " + error.message());
  }
  const std::filesystem::path relative(location.path);
  if (relative.is_absolute()) {
    return invalid_model(what + ": " + shown + " must be relative to the model");
  }
  const auto lexical = (base / relative).lexically_normal();
  const auto inside = [&](const std::filesystem::path& path) {
    return std::mismatch(base.begin(), base.end(), path.begin(), path.end()).first == base.end();
  };
  if (!inside(lexical)) {
    return invalid_model(what + ": " + shown + " is outside the model's folder");
  }
  const auto real = std::filesystem::canonical(lexical, error);
  if (error) {
    return io_error(what + ": cannot open " + shown + ": " + error.message());
  }
  if (!inside(real)) {
    return invalid_model(what + ": " + shown + " is outside the model's folder");
  }
  return real;
}

}  // namespace

Result<ExternalData> find_external_data(const ::onnx::TensorProto& proto, const std::optional<std::string>& folder,
                                        const std::string& what) {
  if (!folder.has_value()) {
    return unsupported(what + ": external data can only be read for a model in a file");
  }
  ASSAY_ASSIGN(const Location location, parse_location(proto, what));
  ASSAY_ASSIGN(const std::filesystem::path path, resolve(location, *folder, what));
  const std::string shown = "external data '" + printable(location.path) + "'";
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    return io_error(what + ": cannot read " + shown + ": " + error.message());
  }
  if (location.offset > size || location.length.value_or(0) > size - location.offset) {
    return invalid_model(what + ": " + shown + " has " + std::to_string(size) + " bytes, fewer than offset " +
                         std::to_string(location.offset) + " + length " + std::to_string(location.length.value_or(0)));
  }
  return ExternalData{.path = path,
                      .offset = location.offset,
                      .length = location.length.value_or(size - location.offset),
                      .what = what,
                      .shown = shown};
}

Status ExternalData::read(std::byte* to) const {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  if (!file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(length))) {
    return io_error(what + ": cannot read " + shown);
  }
  return {};
}

}  // namespace assay::onnx
