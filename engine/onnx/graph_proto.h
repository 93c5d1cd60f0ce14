// SPDX-License-Identifier: Apache-2.0
// GraphProto <-> Graph, for models and for the subgraphs of their nodes.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/onnx/external_tensors.h"

namespace assay::onnx {

// An error unless `text` is UTF-8; `what` names it in the message.
Status check_utf8(const std::string& text, const std::string& what);

// Fills everything of `graph` that a GraphProto holds. Large data move out of `proto`. `folder`: see tensor_proto.h.
// Subgraphs use outer values by name; validate_graph closes them.
Status graph_from_proto(::onnx::GraphProto& proto, const std::optional<std::string>& folder, Graph& graph);

void graph_to_proto(const Graph& graph, ::onnx::GraphProto& proto, ExternalTensors* external = nullptr);

}  // namespace assay::onnx
