// SPDX-License-Identifier: Apache-2.0
// ONNX bytes -> Graph, as the file states it; validate_graph() then checks the rules between the parts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "engine/base/result.h"
#include "engine/ir/graph.h"

namespace assay::onnx {

// `folder` holds the model and its external data; without one those are refused. Errors: kInvalidModel (not ONNX, or a
// part that breaks a rule by itself), kUnsupported (functions, subgraphs, sparse tensors, training, sequences, element
// types), kResource, kIo (external data).
Result<Graph> parse_model(std::span<const std::byte> bytes, const std::optional<std::string>& folder);

// One TensorProto message.
Result<Tensor> parse_tensor(std::span<const std::byte> bytes);

}  // namespace assay::onnx
