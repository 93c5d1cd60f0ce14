// SPDX-License-Identifier: Apache-2.0
// The rules between the parts of a graph, for files and for graphs made in memory alike:
//   - IR version and opset of each domain in use are known ones;
//   - every operator is known at its opset, with the inputs, outputs and attributes its schema allows;
//   - every value has a name and one producer, every use a producer, and there is no cycle.
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"

namespace assay::onnx {

// Checks, and brings the graph into the form the engine works on: domain "ai.onnx" becomes "", graph inputs that are
// initializers leave the inputs, Constant nodes become initializers, nodes get names of their own (a missing one is
// "<op_type>_<position>"), nodes are sorted. Errors: kInvalidModel, kUnsupported; messages name node, operator and
// opset.
Status validate_graph(Graph& graph);

// Whether this build knows the IR version.
Status check_ir_version(const Graph& graph);

// One node against the schema of its operator.
Status validate_node(const Graph& graph, const Node& node);

}  // namespace assay::onnx
