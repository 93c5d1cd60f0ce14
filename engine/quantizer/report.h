// SPDX-License-Identifier: Apache-2.0
// What the quantizer says about its work.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::quantizer {

struct NodeReport {
  std::string node;
  std::string op_type;
  bool quantized = false;
  std::string reason;  // why it stayed float, or how its clamp is done
};

struct TensorReport {
  std::string tensor;
  DType dtype = DType::kUndefined;
  std::vector<double> scales;
  std::vector<Index> zero_points;
  Index axis = -1;  // -1: per tensor
  double min = 0;   // observed
  double max = 0;
};

struct QuantizedGraph {
  Graph graph;
  std::vector<std::string> warnings;
  std::vector<NodeReport> nodes;      // as in the float graph
  std::vector<TensorReport> tensors;  // activations by name, then weights in order of use
};

}  // namespace assay::quantizer
