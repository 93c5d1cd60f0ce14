// SPDX-License-Identifier: Apache-2.0
// Tensor data kept in a file beside the model.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>

#include "engine/base/result.h"

namespace assay::onnx {

// The bytes that external_data (location, offset, length) names. The location is relative to `folder`; a path that
// leaves it, also through a symbolic link, is refused (kInvalidModel). Without a folder: kUnsupported.
Result<std::string> read_external_data(const ::onnx::TensorProto& proto, const std::optional<std::string>& folder,
                                       const std::string& what);

}  // namespace assay::onnx
