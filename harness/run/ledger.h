// SPDX-License-Identifier: Apache-2.0
// Where a variant's error comes from: its outputs are reached from those of the float model in steps that each change
// one thing, so that the differences of the steps add up to the total, element by element.
//
//   quantization  the float model                    -> the quantized model, not optimised, exact arithmetic
//   graph         that                               -> optimised as the variant is, exact arithmetic
//   arithmetic    that                               -> with the variant's instruction set and precision
//   runtime       that (assay's own runtime)         -> the variant's external runtime
//   total         the float model                    -> the variant
//
// In assay's own runtime the step `runtime` changes nothing. For an external one `arithmetic` takes the instruction set
// that the registry names; where it names none, what the arithmetic adds is part of `runtime`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/run/execution.h"
#include "reports/record.h"

namespace assay::run {

struct LedgerStep {
  std::string part;
  spec::Configuration from;
  spec::Configuration to;
  bool differs = false;  // whether `to` differs from `from` at all
};
// In the order of the table above. `external_isa`: of an external runtime, "" where it is not known.
std::vector<LedgerStep> ledger_steps(const spec::Configuration& configuration, const std::string& external_isa);

struct LedgerPart {
  std::string name;
  const api::NamedTensors* from = nullptr;
  const api::NamedTensors* to = nullptr;
  bool differs = false;
};

class Ledger {
 public:
  // Runs what the steps need. `actual`: the variant's own outputs; they and the execution outlive the ledger.
  // Errors: a configuration between the float model and the variant that cannot run.
  static Result<Ledger> make(Execution& execution, const spec::Configuration& configuration,
                             const api::NamedTensors& actual);

  // The name is one of the table's (asserted).
  const LedgerPart& part(std::string_view name) const;
  // For each output and part rmse, largest absolute error and the share of the total squared error that lies in the
  // part's direction: sum d_part d_total / sum d_total^2. The shares of the steps add up to 1; one may be negative
  // where it undoes what others do. 0 where there is no error, NaN where one is not finite.
  std::vector<reports::LedgerEntry> record(const Graph& graph) const;

 private:
  std::vector<LedgerPart> parts_;  // the steps, then the total
};

}  // namespace assay::run
