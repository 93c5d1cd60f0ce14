// SPDX-License-Identifier: Apache-2.0
// How messages of the quantizer write numbers and nodes.
#pragma once

#include <string>

#include "engine/ir/graph.h"

namespace assay::quantizer {

// Six significant digits: "-16129", "0.1", "inf".
std::string number_text(double value);
// "[0, 6]"
std::string range_text(double min, double max);
// "Conv 'conv1'"
std::string short_text(const Node& node);

}  // namespace assay::quantizer
