// SPDX-License-Identifier: Apache-2.0
// Bodies of If, Loop and Scan (quantizer.subgraphs). A body is quantized like a graph of its own: what comes in from
// outside, and what goes out, is float. Its nodes and tensors are named NODE/ATTRIBUTE/NAME ("if1/then_branch/conv") in
// ranges, overrides, lists of nodes and reports.
#pragma once

#include <functional>
#include <string>

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/range_table.h"
#include "engine/quantizer/report.h"

namespace assay::quantizer {

// What becomes of one body: quantized, or with a reason only lifted to the opset of the graph around it.
using QuantizeBody = std::function<Result<QuantizedGraph>(const Graph& body, const RangeTable& ranges,
                                                          const Options& options, const std::string& float_reason)>;

// Replaces the bodies of all nodes. `graph` takes over domains that they import; reports and warnings of the bodies,
// with their prefixes, go to `report`. A body of which calibration saw no value stays float, as all do where
// `float_reason` says why.
Status quantize_subgraphs(Graph& graph, const RangeTable& ranges, const Options& options,
                          const std::string& float_reason, const QuantizeBody& quantize, QuantizedGraph& report);

}  // namespace assay::quantizer
