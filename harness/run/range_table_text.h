// SPDX-License-Identifier: Apache-2.0
// Range tables of other tools that are plain text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/result.h"

namespace assay::run {

// Lines NAME,MIN,MAX; NAME may stand in double quotes ("" inside them is one) and may else have commas. Empty lines,
// lines that begin with '#' and a first line name,min,max are passed over. Errors (kInvalidArgument) begin with
// PATH:LINE.
Result<std::map<std::string, std::pair<double, double>>> parse_range_lines(const std::string& path,
                                                                           std::string_view text);

// A TensorRT calibration cache: a first line "TRT-VERSION-METHOD", then "TENSOR: HEX", HEX being the 8 hexadecimal
// digits of the bits of a float32 scale. The range of a tensor is [-127 scale, 127 scale], the scale in float32 and
// the product in double. Errors as above.
Result<std::map<std::string, std::pair<double, double>>> parse_tensorrt_cache(const std::string& path,
                                                                              std::string_view text);

}  // namespace assay::run
