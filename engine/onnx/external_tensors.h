// SPDX-License-Identifier: Apache-2.0
// Tensors on their way to a file beside the model. Only the files of engine/onnx include this one.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/ir/tensor.h"

namespace assay::onnx {

// Smaller data stay in the model.
inline constexpr std::size_t kLeastExternalBytes = 1024;
// Offsets in the file are multiples of this, so that a reader can map the tensors into memory.
inline constexpr std::uintmax_t kExternalAlignment = 4096;

// A tensor whose bytes go to the file as they are, or bytes made for it.
using Stored = std::variant<Tensor, std::string>;

class ExternalTensors {
 public:
  // `location`: the file's name relative to the model's folder.
  explicit ExternalTensors(std::string location) : location_(std::move(location)) {}

  // Gives the data the next place in the file and says so in the proto.
  void add(Stored data, ::onnx::TensorProto& proto);

  // The file's content, in pieces that live as long as this.
  std::vector<std::string_view> pieces() const;

 private:
  struct Entry {
    Stored data;
    std::uintmax_t padding = 0;  // bytes in front of it
  };
  std::string location_;
  std::vector<Entry> entries_;
  std::uintmax_t size_ = 0;
};

}  // namespace assay::onnx
