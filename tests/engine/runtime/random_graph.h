// SPDX-License-Identifier: Apache-2.0
// Random small int8 graphs: chains of a few operators, as QDQ groups or as integer operators.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::test {

struct RandomGraph {
  Graph graph;
  std::map<std::string, Tensor> inputs;
  std::vector<std::string> batched;  // inputs whose first axis is the batch
  Index batch = 1;
  bool splits = true;  // a batch may be fed in parts: no value depends on the batch as a whole
  std::string text;    // what it is: "qdq u8[2,3,9,7] Conv MaxPool"
};

// Number `index` of the sequence of the test's seed.
RandomGraph random_graph(std::uint64_t index);

}  // namespace assay::test
