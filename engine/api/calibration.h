// SPDX-License-Identifier: Apache-2.0
// Quantizing one model again and again on one calibration.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/api/quantize.h"

namespace assay::api {

// What the calibration of one prepared model found.
class Calibration {
 public:
  struct Impl;
  explicit Calibration(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl* get() const { return impl_.get(); }

 private:
  std::shared_ptr<const Impl> impl_;
};

// quantize(), which takes from `known` what an earlier call with the same calibration settings found, and adds to it
// what it has to find itself: where nothing is known, or the preparation comes to another model.
Result<QuantizeResult> quantize(const Model& model, const CalibrationSource& calibration,
                                const quantizer::Options& options, std::vector<Calibration>& known);

}  // namespace assay::api
