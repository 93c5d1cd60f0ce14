// SPDX-License-Identifier: Apache-2.0
// Which nodes can be quantized, by their form, and which of their inputs are activations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/quantizer/operators.h"
#include "engine/quantizer/options.h"

namespace assay::quantizer {

// Element type per value: what the file states, else that of the producing node's first input, which holds for every
// operator the quantizer knows.
using ValueTypes = std::map<std::string, DType>;
ValueTypes value_types(const Graph& graph);

// "" for a node that can be quantized, else why it stays in float ("weight 'w' is not constant").
// Does not look at whether its neighbours are quantized.
std::string ineligibility_reason(const Graph& graph, const Node& node, const ValueTypes& types, const Options& options);

// Whether input 1 of this node is a weight (Conv, Gemm, MatMul with a constant second operand).
bool has_weight(const Graph& graph, const Node& node, const OperatorRow& row);

// The axis of a weight's output channels: Conv 0, Gemm 0 if transB else 1, MatMul the last; -1 for a vector.
Index channel_axis(const Node& node, const Tensor& weight);

// Positions of the inputs that are quantized like activations, constants among them.
std::vector<std::size_t> activation_inputs(const Graph& graph, const Node& node, const OperatorRow& row);

}  // namespace assay::quantizer
