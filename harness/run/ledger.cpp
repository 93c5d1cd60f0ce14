// SPDX-License-Identifier: Apache-2.0
#include "harness/run/ledger.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/profile.h"
#include "harness/compare/difference.h"
#include "harness/run/settings.h"

namespace assay::run {
namespace {

using spec::Configuration;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

double largest(const std::vector<double>& values) {
  double result = 0.0;
  for (const double value : values) {
    if (std::isnan(value)) {
      return value;
    }
    result = std::max(result, std::fabs(value));
  }
  return result;
}

bool same_configuration(const Configuration& a, const Configuration& b) {
  return spec::effective_values(a) == spec::effective_values(b);
}

bool same_shapes(const std::vector<LedgerPart>& parts, const std::string& output) {
  const auto fits = [&](const api::NamedTensors& outputs) {
    const auto found = outputs.find(output);
    return found != outputs.end() && found->second.shape() == parts.back().to->at(output).shape();
  };
  return std::ranges::all_of(parts, [&](const LedgerPart& part) { return fits(*part.from) && fits(*part.to); });
}

}  // namespace

std::vector<LedgerStep> ledger_steps(const Configuration& configuration, const std::string& external_isa) {
  Configuration plain = spec::float_reference();
  plain.set("runtime.batch", configuration.get("runtime.batch"));
  Configuration quantized = configuration;
  for (const char* axis : {"runtime.name", "runtime.options", "runtime.disable_passes", "runtime.threads"}) {
    quantized.reset(axis);
  }
  quantized.set("runtime.optimization", "none");
  quantized.set("runtime.isa", "scalar");
  quantized.set("runtime.precision", "exact");
  Configuration optimized = quantized;
  optimized.set("runtime.optimization", configuration.get("runtime.optimization"));
  if (configuration.is_set("runtime.disable_passes")) {
    optimized.set("runtime.disable_passes", configuration.get("runtime.disable_passes"));
  }
  Configuration arithmetic = optimized;
  if (!is_external(configuration)) {
    arithmetic = configuration;
  } else if (!external_isa.empty()) {
    arithmetic.set("runtime.isa", external_isa);
    arithmetic.set("runtime.precision", "fast");
  }
  std::vector<LedgerStep> steps = {{"quantization", plain, quantized, quantizes(configuration)},
                                   {"graph", quantized, optimized, false},
                                   {"arithmetic", optimized, arithmetic, false},
                                   {"runtime", arithmetic, configuration, is_external(configuration)}};
  for (LedgerStep& step : steps) {
    step.differs = step.differs || (step.part != "quantization" && !same_configuration(step.from, step.to));
  }
  return steps;
}

Result<Ledger> Ledger::make(Execution& execution, const Configuration& configuration, const api::NamedTensors& actual) {
  std::string isa;
  if (is_external(configuration)) {
    ASSAY_ASSIGN(const RuntimeEntry entry, execution.host().entry(configuration.text("runtime.name")));
    isa = isa_from_name(entry.isa) ? entry.isa : "";
  }
  Ledger ledger;
  const api::NamedTensors* before = nullptr;
  const std::vector<LedgerStep> steps = ledger_steps(configuration, isa);
  for (const LedgerStep& step : steps) {
    if (before == nullptr) {
      ASSAY_ASSIGN(before, execution.kept_outputs(step.from));
    }
    // Everything behind the last step that changes anything is the variant itself.
    const auto changes = [](const LedgerStep& later) { return later.differs; };
    const bool last = std::none_of(&step + 1, steps.data() + steps.size(), changes);
    const api::NamedTensors* after = last ? &actual : before;
    if (!last && step.differs) {
      ASSAY_ASSIGN(after, execution.kept_outputs(step.to));
    }
    ledger.parts_.push_back({step.part, before, after, step.differs});
    before = after;
  }
  ledger.parts_.push_back({"total", ledger.parts_.front().from, &actual, true});
  return ledger;
}

const LedgerPart& Ledger::part(std::string_view name) const {
  const auto found = std::ranges::find(parts_, name, &LedgerPart::name);
  assert(found != parts_.end());
  return *found;
}

std::vector<reports::LedgerEntry> Ledger::record(const Graph& graph) const {
  std::vector<reports::LedgerEntry> entries;
  for (const ValueInfo& output : graph.outputs) {
    if (!same_shapes(parts_, output.name)) {
      continue;
    }
    const auto step_of = [&](const LedgerPart& part) {
      return compare::differences(part.to->at(output.name), part.from->at(output.name));
    };
    const std::vector<double> total = step_of(parts_.back());
    const double power = product(total, total);
    const auto n = static_cast<double>(total.size());
    for (const LedgerPart& part : parts_) {
      const std::vector<double> step = step_of(part);
      reports::LedgerEntry entry;
      entry.part = part.name;
      entry.output = output.name;
      entry.rmse = total.empty() ? 0.0 : std::sqrt(product(step, step) / n);
      entry.max_abs_error = largest(step);
      entry.share = power == 0.0 ? 0.0 : product(step, total) / power;
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

}  // namespace assay::run
