// SPDX-License-Identifier: Apache-2.0
// The quantization step of an output.
#pragma once

#include <string_view>

#include "harness/compare/metric.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {

// 1 for integer outputs, else the step of the options; an error that begins with the metric's name if there is none.
Result<double> quantization_step(const MetricInput& input, std::string_view metric);

// How many steps lie between the elements at a position of outputs of `dtype`: their error / step. Elements that were
// made of whole steps, (q - zero point) * scale, are rounded to their type; what lies within that rounding of a whole
// number from 1 on is that number.
double steps_between(const Elements& elements, std::size_t position, double step, DType dtype);

}  // namespace assay::compare
