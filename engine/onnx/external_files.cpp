// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/external_files.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <exception>

#include "engine/onnx/versions.h"

namespace assay::onnx {
namespace {

void collect(const ::onnx::TensorProto& tensor, std::vector<std::string>& files) {
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location" && std::find(files.begin(), files.end(), entry.value()) == files.end()) {
      files.push_back(entry.value());
    }
  }
}

}  // namespace

std::vector<std::string> external_files(std::span<const std::byte> bytes) {
  std::vector<std::string> files;
  try {
    google::protobuf::SetLogHandler(nullptr);  // protobuf would say on stderr what it dislikes
    ::onnx::ModelProto model;
    if (bytes.size() > static_cast<std::size_t>(kMaxModelBytes) ||
        !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return files;
    }
    for (const auto& initializer : model.graph().initializer()) {
      collect(initializer, files);
    }
    for (const auto& node : model.graph().node()) {
      for (const auto& attribute : node.attribute()) {
        collect(attribute.t(), files);
      }
    }
  } catch (const std::exception&) {
    files.clear();  // no memory
  }
  return files;
}

}  // namespace assay::onnx
