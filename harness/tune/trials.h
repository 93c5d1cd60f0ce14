// SPDX-License-Identifier: Apache-2.0
// Quantizes one model under one configuration after the other. Each calibration is run once: configurations that differ
// in other settings share it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/api/calibration.h"
#include "harness/spec/axis.h"

namespace assay::tune {

class Trials {
 public:
  // `source` is read once (twice by methods with two passes) for each calibration.
  Trials(const api::Model& model, api::CalibrationSource source, int threads)
      : model_(model), source_(std::move(source)), threads_(threads) {}

  // Errors: those of the settings and of api::quantize.
  Result<api::QuantizeResult> quantize(const spec::Configuration& configuration);

  const api::Model& model() const { return model_; }
  std::size_t calibrations() const;

 private:
  api::Model model_;
  api::CalibrationSource source_;
  int threads_;
  std::map<std::string, std::vector<api::Calibration>> calibrations_;  // by the settings that ranges depend on
};

}  // namespace assay::tune
