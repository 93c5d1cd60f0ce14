// SPDX-License-Identifier: Apache-2.0
// What the variants of a case without checks measure, and what is wrong with them: the ground of a new case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/run/execution.h"
#include "harness/run/measured_checks.h"
#include "harness/run/trial.h"

namespace assay::run {

// Errors: a variant that could not be judged or was skipped, with its name and reason.
Result<reports::VariantResult> run_measurable(Execution& execution, const spec::Variant& variant);

class Survey {
 public:
  // `test_case` outlives the survey.
  explicit Survey(const spec::Case& test_case) : execution_(test_case, host_) {}

  Status measure(const spec::Variant& variant);
  // Of all that was measured. Runs what tells the causes.
  MeasuredChecks checks(double headroom);

 private:
  std::optional<KnownFault> find_fault(const spec::Configuration& configuration, const reports::VariantResult& result);
  bool saturates_as_own(const MeasuredVariant& variant);
  std::optional<Cause> cause_of(std::size_t position, const spec::Condition& axes);
  std::optional<std::string> calibration_finding();

  RuntimeHost host_;
  Execution execution_;
  std::vector<MeasuredVariant> measured_;
};

}  // namespace assay::run
