// SPDX-License-Identifier: Apache-2.0
// Tensor data kept in a file beside the model.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace assay::onnx {

// Where a tensor's data are.
struct ExternalData {
  std::filesystem::path path;
  std::uintmax_t offset = 0;
  std::uintmax_t length = 0;  // bytes
  std::string what;           // begins messages
  std::string shown;          // the location as the model has it

  // Reads all bytes to `to`. Errors: kIo.
  Status read(std::byte* to) const;
};

// What external_data (location, offset, length) names; the file has that many bytes. The location is relative to
// `folder`; a path that leaves it, also through a symbolic link, is refused (kInvalidModel). Without a folder:
// kUnsupported.
Result<ExternalData> find_external_data(const ::onnx::TensorProto& proto, const std::optional<std::string>& folder,
                                        const std::string& what);

}  // namespace assay::onnx
