// SPDX-License-Identifier: Apache-2.0
// Constant nodes become initializers, so that the rest of the engine knows one kind of constant.
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"

namespace assay::onnx {

// Errors: a Constant with no or several values, a value that is text, an output that another value already has.
Status constant_nodes_to_initializers(Graph& graph);

}  // namespace assay::onnx
