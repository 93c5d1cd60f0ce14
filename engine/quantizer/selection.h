// SPDX-License-Identifier: Apache-2.0
// Which nodes the options ask to quantize, before looking at whether they can be.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/quantizer/options.h"

namespace assay::quantizer {

// Checks the options by themselves and the names in them against the model as the user knows it. Errors
// (kInvalidArgument): a type that the format does not have, an op type that neither the quantizer nor the model knows,
// a node or a tensor of an override that the model does not have (with the nearest name), a node both included and
// excluded, an override that contradicts itself.
Status check_options(const Graph& graph, const Options& options);

// Checks options.ranges. An error (kInvalidArgument) for a tensor that neither the model nor its prepared form has
// (preparation adds tensors, whose ranges calibration finds and saves too), and for a range that contradicts itself.
Status check_ranges(const Graph& source, const Graph& prepared, const Options& options);

// An error (kInvalidArgument) for a model that has quantized operators already.
Status check_is_float_model(const Graph& graph);

// "" for a node that is asked for, else why it is not.
std::string deselection_reason(const Node& node, const Options& options);

}  // namespace assay::quantizer
