// SPDX-License-Identifier: Apache-2.0
// What is known of the float model's values before parameters are chosen.
#pragma once

#include <map>
#include <string>

#include "engine/base/dtype.h"

namespace assay::quantizer {

// The smallest and largest finite element seen; [0, 0] for a tensor without elements.
struct ValueRange {
  double min = 0;
  double max = 0;
};

struct ObservedValue {
  ValueRange range;
  std::string fault;  // why the range cannot be used ("sample 3: element 17 is nan"); "" if it can
  Index rank = -1;    // of the last sample; -1 where the value was not seen
};

using RangeTable = std::map<std::string, ObservedValue>;

}  // namespace assay::quantizer
