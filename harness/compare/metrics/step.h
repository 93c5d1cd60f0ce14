// SPDX-License-Identifier: Apache-2.0
// The quantization step of an output.
#pragma once

#include <string_view>

#include "harness/compare/metric.h"

namespace assay::compare {

// 1 for integer outputs, else the step of the options; an error that begins with the metric's name if there is none.
Result<double> quantization_step(const MetricInput& input, std::string_view metric);

}  // namespace assay::compare
