// SPDX-License-Identifier: Apache-2.0
// Graph -> ONNX bytes. IR version, opsets, names and metadata are kept; tensors are written as raw data.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/ir/graph.h"

namespace assay::onnx {

// Operators of domain ai.assay are written as they are: they have no ONNX function body, so only assay can run such a
// model, and its doc_string says so. Error kUnsupported for a model above kMaxModelBytes.
Result<std::string> serialize_model(const Graph& graph);

}  // namespace assay::onnx
