// SPDX-License-Identifier: Apache-2.0
// What a graph states about its quantization: the parameters of every tensor, and how every node computes, whatever the
// format and the tool that made it.
//
// Values go by the name that they have in the float model: what QuantizeLinear and DequantizeLinear make of a value is
// that value, and the endings _quantized, _QuantizeLinear_Input, _QuantizeLinear_Output and _DequantizeLinear_Output,
// which the common tools add, are taken off ("b_quantized_1" is "b_1").
// Nodes and values in the bodies of If and Loop have the path in front: "loop/body/".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::quantizer {

struct StatedParams {
  std::string tensor;  // a second set of parameters for the same tensor is "NAME (2)"
  DType dtype = DType::kUndefined;
  std::vector<double> scales;      // one, one per channel, or one per block; empty where none is stated
  std::vector<Index> zero_points;  // as many as scales (0 where the model leaves them out)
  Index axis = -1;                 // -1: per tensor
  Index block_size = 0;
  bool dynamic = false;  // computed while the model runs: no scales, no zero points
  Tensor values;         // the integers of a constant; empty for an activation
};

enum class NodeArithmetic {
  kFloat,
  kIntegers,        // an integer operator; or all its operands are dequantized and its results quantized
  kIntegerWeights,  // float operands with integer constants behind DequantizeLinear
};

struct StatedNode {
  Node node;  // inputs and outputs by their float names; parameters are left out of the inputs
  NodeArithmetic arithmetic = NodeArithmetic::kFloat;
};

struct Inspection {
  std::vector<StatedParams> params;         // by tensor name
  std::vector<StatedNode> nodes;            // without QuantizeLinear and DequantizeLinear, in the graph's order
  std::map<std::string, Tensor> constants;  // neither quantized nor parameters
};

// The graph is sorted.
Inspection inspect(const Graph& graph);

}  // namespace assay::quantizer
