// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/trials.h"

#include "harness/run/range_file.h"
#include "harness/run/settings.h"

namespace assay::tune {

Result<api::QuantizeResult> Trials::quantize(const spec::Configuration& configuration) {
  ASSAY_ASSIGN(quantizer::Options options, run::quantizer_options(configuration, ""));
  options.calibration.threads = threads_;
  if (!options.ranges.empty() || !api::needs_calibration(options)) {
    return api::quantize(model_, source_, options);
  }
  return api::quantize(model_, source_, options, calibrations_[run::calibration_settings(configuration).dump()]);
}

std::size_t Trials::calibrations() const {
  std::size_t count = 0;
  for (const auto& [settings, found] : calibrations_) {
    count += found.size();
  }
  return count;
}

}  // namespace assay::tune
