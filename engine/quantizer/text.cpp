// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/text.h"

#include <array>
#include <cstdio>

namespace assay::quantizer {

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%g", value);
  return buffer.data();
}

std::string range_text(double min, double max) { return "[" + number_text(min) + ", " + number_text(max) + "]"; }

std::string short_text(const Node& node) { return node.op_type + " '" + node.name + "'"; }

}  // namespace assay::quantizer
