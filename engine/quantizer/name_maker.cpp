// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/name_maker.h"

namespace assay::quantizer {

NameMaker::NameMaker(const Graph& graph) {
  for (const ValueInfo& input : graph.inputs) {
    taken_.insert(input.name);
  }
  for (const ValueInfo& output : graph.outputs) {
    taken_.insert(output.name);
  }
  for (const auto& [name, tensor] : graph.initializers) {
    taken_.insert(name);
  }
  for (const Node& node : graph.nodes) {
    taken_.insert(node.name);
    taken_.insert(node.inputs.begin(), node.inputs.end());
    taken_.insert(node.outputs.begin(), node.outputs.end());
  }
}

std::string NameMaker::make(const std::string& base) {
  std::string name = base;
  for (int i = 1; !taken_.insert(name).second; ++i) {
    name = base + "_" + std::to_string(i);
  }
  return name;
}

}  // namespace assay::quantizer
