// SPDX-License-Identifier: Apache-2.0
// Internal to api/: the float model run over the calibration samples, with an observer on every value.
//
// Each of options.threads workers has one session, planned once, and one sample at a time: beside the model there are
// never more samples than workers, each with the values that its run still needs, and the histograms. Errors are those
// of the sample with the lowest number, whatever the threads.
#pragma once

#include "engine/api/quantize.h"
#include "engine/quantizer/range_arithmetic.h"
#include "engine/quantizer/range_table.h"

namespace assay::api {

struct CalibrationResult {
  quantizer::RangeTable ranges;
  Index samples = 0;
};

// Runs at optimization none, profile scalar. `scheme`: how values will be quantized (mse). Errors: those of the source
// and of the session (with the sample's number); kInvalidArgument for no samples.
Result<CalibrationResult> calibrate(const Model& model, const CalibrationSource& source,
                                    const quantizer::CalibrationOptions& options, const quantizer::RangeScheme& scheme);

}  // namespace assay::api
