// SPDX-License-Identifier: Apache-2.0
// The quantizer as a whole: a float graph and the ranges of its values become a quantized graph.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/ir/graph.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/range_table.h"
#include "engine/quantizer/report.h"

namespace assay::quantizer {

// The graph is valid, sorted and float (check_is_float_model), the options are checked against it (check_options).
// The result depends on the arguments alone: same arguments, same bytes.
// Errors: those of upgrade_opset and make_plan; kInvalidArgument for an override whose weight axis is wrong.
Result<QuantizedGraph> quantize_graph(const Graph& float_graph, const RangeTable& observed, const Options& options);

// The values of the float graph whose ranges decide the result; null where that is not known beforehand: a graph with
// bodies, or whose operators cannot be lifted without ranks.
std::optional<std::set<std::string>> ranges_that_matter(const Graph& float_graph, const Options& options);

// quantizer.ranges as a table.
RangeTable range_table(const Options& options);

}  // namespace assay::quantizer
