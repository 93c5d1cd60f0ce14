// SPDX-License-Identifier: Apache-2.0
// Which nodes can be quantized, by their form, and which of their operands then are.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/quantizer/operators.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/value_types.h"

namespace assay::quantizer {

// Positions of a node's operands by how they are quantized; the others stay as they are.
struct Operands {
  Role role = Role::kNone;
  std::vector<std::size_t> activations;  // constants that are quantized like activations among them
  std::vector<std::size_t> weights;
  bool bias = false;                 // input 2 becomes int32
  std::string float_bias;            // why a bias there is stays float; "" otherwise
  std::vector<std::size_t> outputs;  // empty where quantizer.exclude_output_op_types names the operator
  bool shares = false;               // outputs have the parameters of input 0
};

// Whether a float32 or float16 tensor holds neither nan nor infinity.
bool all_finite(const Tensor& tensor);

// "" for a node that can be quantized, else why it stays in float ("weight 'w' is not constant").
// Does not look at whether its neighbours are quantized.
std::string ineligibility_reason(const Graph& graph, const Node& node, const ValueTypes& types, const Options& options);

// The operands of a node that can be quantized.
Operands operands_of(const Graph& graph, const Node& node, const ValueTypes& types, const Options& options);

// The axis of a weight's output channels: Conv 0, ConvTranspose 1, Gemm 0 if transB else 1, the second operand of
// MatMul its last (or what quantizer.channel_axes says); -1 where there is none: a vector, the first operand of MatMul,
// a Conv of the dynamic format, a grouped ConvTranspose (whose axis 1 is one group's), a normalization without an entry
// in quantizer.channel_axes.
Index channel_axis(const Node& node, const Tensor& weight, std::size_t position, const Options& options);

// The number of values that a bias has.
Index output_channels(const Node& node, const Tensor& weight);

}  // namespace assay::quantizer
