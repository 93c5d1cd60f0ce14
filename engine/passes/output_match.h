// SPDX-License-Identifier: Apache-2.0
// The end of a quantized group: a value that only a QuantizeLinear reads, perhaps through Relu and Clip nodes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/passes/clamp_match.h"
#include "engine/passes/qdq_match.h"
#include "engine/passes/value_index.h"

namespace assay::passes {

struct QuantizedOutput {
  Quantization quantization;          // per tensor, 8 bits
  IntegerRange clamp;                 // in quantized units
  std::vector<std::size_t> absorbed;  // positions of the clamps and of the QuantizeLinear

  bool has_clamp() const { return !is_full_range(clamp, quantization.dtype); }
};

// Every value on the way, `value` included, must have one use and be no graph output.
std::optional<QuantizedOutput> match_output(const Graph& graph, const ValueIndex& index, const std::string& value);

// Puts `fused`, which makes quantization.integers and clamps itself, in the place of the node at `position` and removes
// the absorbed nodes.
void replace_group(Graph& graph, std::size_t position, Node fused, const QuantizedOutput& output);

// The same for an operator that cannot clamp: a Clip on the integers follows it where needed. False, without a change,
// where the graph's opset has no Clip on integers.
bool replace_group_with_clip(Graph& graph, std::size_t position, Node fused, const QuantizedOutput& output);

// A node of `op_type` in the place of `node`: same name, no inputs, makes the quantized output.
Node fused_node(const Node& node, const std::string& domain, const std::string& op_type, const std::string& pass);

// Makes ai.assay's form of an integer product out of the plain one, with this clamp in its requantization.
void set_clamp(Graph& graph, Node& node, const IntegerRange& clamp);

}  // namespace assay::passes
