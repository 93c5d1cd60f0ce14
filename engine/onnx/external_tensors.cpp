// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/external_tensors.h"

#include <array>

namespace assay::onnx {
namespace {

constexpr std::array<char, kExternalAlignment> kPadding = {};

std::string_view bytes_of(const Stored& data) {
  if (const auto* tensor = std::get_if<Tensor>(&data)) {
    return {reinterpret_cast<const char*>(tensor->bytes()), tensor->size_bytes()};
  }
  return std::get<std::string>(data);
}

void add_entry(::onnx::TensorProto& proto, const char* key, const std::string& value) {
  auto& entry = *proto.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

}  // namespace

void ExternalTensors::add(Stored data, ::onnx::TensorProto& proto) {
  const std::uintmax_t padding = (kExternalAlignment - size_ % kExternalAlignment) % kExternalAlignment;
  const std::uintmax_t offset = size_ + padding;
  const std::uintmax_t length = bytes_of(data).size();
  proto.set_data_location(::onnx::TensorProto::EXTERNAL);
  add_entry(proto, "location", location_);
  add_entry(proto, "offset", std::to_string(offset));
  add_entry(proto, "length", std::to_string(length));
  size_ = offset + length;
  entries_.push_back({.data = std::move(data), .padding = padding});
}

std::vector<std::string_view> ExternalTensors::pieces() const {
  std::vector<std::string_view> pieces;
  for (const Entry& entry : entries_) {
    if (entry.padding > 0) {
      pieces.emplace_back(kPadding.data(), entry.padding);
    }
    pieces.push_back(bytes_of(entry.data));
  }
  return pieces;
}

}  // namespace assay::onnx
