// SPDX-License-Identifier: Apache-2.0
// Holding a variant's outputs and the facts of its run against the checks of its case, and measuring what reports show
// in any case.
#pragma once

#include <string>
#include <vector>

#include "harness/run/execution.h"
#include "harness/run/ledger.h"
#include "harness/run/runtime_session.h"
#include "harness/spec/case.h"
#include "reports/record.h"

namespace assay::run {

// Samples of a data set that the saturation witness looks at: counting is much slower than computing.
inline constexpr Index kWitnessSamples = 64;

struct RunFacts {
  const Graph& quantized;
  RuntimeSession& session;
  const CaseData& data;
  const FeedPlan& plan;
  const api::NamedTensors& outputs;
  const api::NamedTensors* reference = nullptr;  // null where no check or measurement needs one
  std::vector<reports::Saturation> saturation;
  const Ledger* ledger = nullptr;  // null where no check is about a part of the error
};

struct Checked {
  std::vector<reports::Check> checks;
  bool could_fail = false;
};

// Whether a check needs reference outputs, the parts of the error, or counts of saturated pairs.
bool needs_reference(const spec::Check& check);
bool needs_ledger(const spec::Check& check);
bool needs_saturation(const spec::Check& check);

// Errors: a check without meaning here (unknown output, no labels, no quantization step).
Result<Checked> run_checks(const std::vector<spec::Check>& checks, const RunFacts& facts);

// What is recorded without a limit: for data sets top1_accuracy, top1_agreement, sqnr_db; else sqnr_db, max_abs_error
// and, where outputs have a step, max_steps; and saturated_pair_share where it was counted. Metrics that have no
// meaning for an output are left out.
std::vector<reports::Measurement> measure_outputs(const RunFacts& facts);

}  // namespace assay::run
