// SPDX-License-Identifier: Apache-2.0
// Internal to api/: the float model run over the calibration samples, one at a time, with an observer on every value.
#pragma once

#include "engine/api/quantize.h"
#include "engine/quantizer/minmax_observer.h"

namespace assay::api {

// Runs at optimization none, profile scalar. Errors: those of the source and of the session (with the sample's number);
// kInvalidArgument for no samples.
Result<quantizer::MinMaxObserver> calibrate(const Model& model, const CalibrationSource& source);

}  // namespace assay::api
