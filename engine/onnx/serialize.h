// SPDX-License-Identifier: Apache-2.0
// Graph -> ONNX bytes. IR version, opsets, names and metadata are kept; tensors are written as raw data.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/ir/graph.h"

namespace assay::onnx {

// Operators of domain ai.assay are written as they are: they have no ONNX function body, so only assay can run such a
// model, and its doc_string says so. Error kUnsupported for a model above kMaxModelBytes.
Result<std::string> serialize_model(const Graph& graph);

// Whether the tensors alone exceed what one ONNX file can hold.
bool needs_external_data(const Graph& graph);

// A model whose initializers of 1,024 bytes and more are in a file beside it; smaller ones, and those of subgraphs and
// attributes, are in the model.
struct ExternalModel {
  std::string bytes;                     // the model
  std::vector<std::string_view> pieces;  // the content of the file, alive as long as `storage`
  std::shared_ptr<const void> storage;
};

// `location`: the file's name relative to the model's folder.
Result<ExternalModel> serialize_with_external_data(const Graph& graph, const std::string& location);

}  // namespace assay::onnx
