// SPDX-License-Identifier: Apache-2.0
// `assay quantize --target`: the flags of the search, and the search itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "harness/tune/search.h"
#include "harness/tune/search_report.h"

namespace assay::cli {

struct TargetFlags {
  std::string target;
  std::vector<std::string> validation;
  std::string labels;
  std::string output;
  std::vector<std::string> search;
  double budget_seconds = 0;
  Index max_float_layers = -1;

  void define(CLI::App& command);
  // An error where a flag is given that has a meaning only with --target.
  Status check_unused() const;
};

struct TargetRequest {
  const api::Model& model;
  spec::Configuration quantizer;
  spec::Configuration runtime = {};
  std::vector<std::string> calibration;  // --calibration
  api::CalibrationSource source;         // opened; without samples where nothing is calibrated
  int threads = 1;
};

struct TargetOutcome {
  tune::SearchResult result;
  std::string text;
  reports::Json json;
};

// Shows progress on stderr. Errors: those of the flags, the data, and the first configuration.
Result<TargetOutcome> reach_target(const TargetFlags& flags, const TargetRequest& request);

}  // namespace assay::cli
