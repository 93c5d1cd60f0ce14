// SPDX-License-Identifier: Apache-2.0
// One run of a case's model under a configuration, held against the checks of a variant: the variant itself, or the
// variant as it would be with something changed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "harness/run/execution.h"
#include "harness/run/outcome.h"
#include "harness/run/runtime_session.h"
#include "reports/record.h"

namespace assay::run {

// Everything up to a session: what a `refused` expectation is about.
struct Prepared {
  std::shared_ptr<const PreparedModel> model;
  std::shared_ptr<RuntimeSession> session;
};

Result<Prepared> prepare(Execution& execution, const spec::Configuration& configuration);

// What a run gives beside its record.
struct Ran {
  Findings findings;
  api::NamedTensors outputs;
};

// Runs what is prepared and holds it against the checks of the configuration. `record` takes kernels, saturation,
// seeds, the ledger and the measurements.
Status run_and_check(Execution& execution, const spec::Configuration& configuration, const Prepared& prepared,
                     reports::VariantResult& record, Ran& ran);

bool all_hold(const std::vector<reports::Check>& checks);
bool saturates(const reports::VariantResult& record);

// A variant as it would be with something changed.
struct Trial {
  reports::VariantResult record;
  Ran ran;
  bool holds() const { return all_hold(ran.findings.checks); }
};

// `other`: what runs in the place of the variant's own configuration.
Result<Trial> try_under(Execution& execution, const spec::Configuration& configuration,
                        const spec::Configuration& other);
// Only where execution.can_calibrate_on_inputs.
Result<Trial> try_calibrated_on_inputs(Execution& execution, const spec::Configuration& configuration);

// A variant of an external runtime as assay's own would run it with runtime.isa=avx2.
struct OwnSiblings {
  Trial saturating;  // runtime.precision=fast
  Trial exact;       // runtime.precision=exact
};
// Nothing where they cannot be run, or no kernel of them saturates.
std::optional<OwnSiblings> own_siblings(Execution& execution, const spec::Configuration& configuration);

// Whether outputs are nearer to `a` than to `b` by more than ten times.
bool is_much_nearer(const api::NamedTensors& outputs, const api::NamedTensors& a, const api::NamedTensors& b);

}  // namespace assay::run
