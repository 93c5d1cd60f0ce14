// SPDX-License-Identifier: Apache-2.0
// A short name for a graph by its content, so that a file made for one model is not taken for another.
#pragma once

#include <string>

#include "engine/ir/graph.h"

namespace assay {

// 16 hex digits: a 64-bit FNV-1a over opsets, inputs, outputs, nodes with attributes, and initializers with their
// elements (these in words of 8 bytes). The graph's name, its metadata and the types of inner values have no part.
std::string graph_digest(const Graph& graph);

}  // namespace assay
