// SPDX-License-Identifier: Apache-2.0
// Names that nothing in a graph has yet.
#pragma once

#include <string>
#include <unordered_set>

#include "engine/ir/graph.h"

namespace assay::quantizer {

// Like fresh_name(), for many names: the graph is read once.
class NameMaker {
 public:
  explicit NameMaker(const Graph& graph);
  // `base`, or `base` with a number behind it; never the same twice.
  std::string make(const std::string& base);

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace assay::quantizer
