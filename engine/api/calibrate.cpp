// SPDX-License-Identifier: Apache-2.0
#include "engine/api/calibrate.h"

namespace assay::api {

Result<quantizer::MinMaxObserver> calibrate(const Model& model, const CalibrationSource& source) {
  if (!source) {
    return invalid_argument("calibration: no data given; it is needed unless quantizer.ranges is");
  }
  SessionOptions options;
  options.optimization = Optimization::kNone;
  options.profile = {.isa = Isa::kScalar, .precision = Precision::kExact};
  ASSAY_ASSIGN(const Session session, Session::create(model, options));

  quantizer::MinMaxObserver observer;
  RunOptions run;
  run.tap = [&](const std::string& value, const Tensor& tensor) { observer.observe(value, tensor); };
  while (true) {
    NamedTensors inputs;
    ASSAY_ASSIGN(const bool has_sample, source(inputs));
    if (!has_sample) {
      break;
    }
    observer.begin_sample();
    for (const auto& [name, tensor] : inputs) {
      observer.observe(name, tensor);
    }
    if (const Result<RunResult> result = session.run(inputs, run); !result.ok()) {
      return Error{result.error().kind,
                   "calibration sample " + std::to_string(observer.samples() - 1) + ": " + result.error().message};
    }
  }
  if (observer.samples() == 0) {
    return invalid_argument("calibration: the data has no samples");
  }
  return observer;
}

}  // namespace assay::api
