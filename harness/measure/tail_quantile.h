// SPDX-License-Identifier: Apache-2.0
// Quantiles near the end of a sample.
#pragma once

#include <optional>
#include <span>

namespace assay::measure {

// The quantile p > 1/2, or nothing where there are fewer than 1 / (1 - p) values: then not one of them is expected
// beyond it, and the largest value would be taken for it.
std::optional<double> tail_quantile(std::span<const double> values, double p);

}  // namespace assay::measure
