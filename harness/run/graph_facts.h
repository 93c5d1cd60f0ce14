// SPDX-License-Identifier: Apache-2.0
// What can be read off a graph and one run of it: node counts, the quantization step of an output, peak memory.
#pragma once

#include <optional>
#include <string>

#include "engine/api/session.h"

namespace assay::run {

// Nodes of the operator ("" counts all). `op` may carry a domain: "com.microsoft.QGemm".
Index count_nodes(const Graph& graph, const std::string& op);

// The scale behind an output: that of the DequantizeLinear that makes it, looked for through operators that only move
// or select values. Nothing where the scale is per channel, computed, or there is none.
std::optional<double> output_step(const Graph& graph, const std::string& output);

// Whether the graph quantizes at run time: NaN has no meaning there.
bool has_quantizing_nodes(const Graph& graph);
// Whether it is a quantized (QDQ) model already.
bool is_qdq_model(const Graph& graph);

// The largest total of bytes of values alive at once: graph inputs and computed values from when they are made until
// their last use (outputs to the end), constants left out. The same on every host.
Result<Index> peak_bytes(const api::Session& session, const api::NamedTensors& inputs);

}  // namespace assay::run
