// SPDX-License-Identifier: Apache-2.0
// Float convolutions that can take in what follows them.
#pragma once

#include <optional>

#include "engine/ir/graph.h"
#include "engine/passes/value_index.h"

namespace assay::passes {

// A Conv with constant float32 weights over one or two dimensions, or com.microsoft.FusedConv over such; its result is
// read once and is no graph output.
bool is_open_conv(const Graph& graph, const ValueIndex& index, const Node& node);

// The same convolution as com.microsoft.FusedConv, under its own name.
Node as_fused_conv(Graph& graph, const Node& conv, const char* pass);

}  // namespace assay::passes
