// SPDX-License-Identifier: Apache-2.0
// Internal to api/: what is done to a float model before it is calibrated and quantized (docs/quantizer.md,
// Pre-processing), and to its biases afterwards.
#pragma once

#include <string>
#include <vector>

#include "engine/api/quantize.h"
#include "engine/quantizer/range_table.h"
#include "engine/quantizer/report.h"

namespace assay::api {

struct PreparedModel {
  Model model;
  quantizer::Options options;      // for the prepared model: overrides and names that follow what was rewritten
  std::vector<std::string> lines;  // what was done
};

// Folds, fuses, equalizes and smooths as the options say. Errors: those of the source, where it is needed.
Result<PreparedModel> prepare(const Model& model, const CalibrationSource& source, const quantizer::Options& options);

// Takes the mean error of each output channel out of the biases (quantizer.bias_correction).
Result<PreparedModel> corrected(const PreparedModel& prepared, const CalibrationSource& source,
                                const quantizer::RangeTable& ranges);

// Decisions for the nodes as the user knows them: a node that the preparation merged into the one in front of it has
// that one's.
std::vector<NodeDecision> decisions(const Graph& original, const std::vector<quantizer::NodeReport>& reports);

}  // namespace assay::api
