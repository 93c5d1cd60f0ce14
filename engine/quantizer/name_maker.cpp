// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/name_maker.h"

namespace assay::quantizer {

NameMaker::NameMaker(const Graph& graph) : taken_(taken_names(graph)) {}

std::string NameMaker::make(const std::string& base) {
  std::string name = base;
  for (int i = 1; !taken_.insert(name).second; ++i) {
    name = base + "_" + std::to_string(i);
  }
  return name;
}

}  // namespace assay::quantizer
