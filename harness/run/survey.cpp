// SPDX-License-Identifier: Apache-2.0
#include "harness/run/survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/run/cause.h"
#include "harness/run/settings.h"
#include "harness/run/variant.h"

namespace assay::run {
namespace {

using reports::VariantResult;

const Graph* graph_of(const Result<api::Model>& model) { return model.ok() ? &model.value().graph() : nullptr; }

bool is_clearly_better(const Trial& trial, const MeasuredVariant& variant) {
  const std::vector<reports::Measurement>& now = variant.fault ? variant.fault->without : variant.measurements;
  return noise_of(trial.record.measurements) * kAlikeNoise < noise_of(now);
}

}  // namespace

Result<VariantResult> run_measurable(Execution& execution, const spec::Variant& variant) {
  VariantResult result = run_variant(execution, variant);
  const reports::Outcome outcome = result.outcome;
  if (outcome == reports::Outcome::kInvalid || outcome == reports::Outcome::kCrash ||
      outcome == reports::Outcome::kSkip) {
    return invalid_argument(fmt::format("{} could not be measured: {}", result.name, result.reason));
  }
  return result;
}

// The faults that changes avoid by which the error falls clearly, one after the other: each is tried again where
// another one hid it.
std::optional<KnownFault> Survey::find_fault(const spec::Configuration& configuration, const VariantResult& result) {
  const Result<api::Model> model = execution_.model();
  std::optional<KnownFault> fault;
  double noise = noise_of(result.measurements);
  spec::Configuration changed = configuration;
  const auto try_one = [&] {
    for (const Change& change : changes_of(changed, graph_of(model))) {
      if (!change.is_fault || (change.cause.name == "pair-saturation" && !saturates(result))) {
        continue;
      }
      Result<Trial> trial = try_under(execution_, configuration, change.configuration);
      if (trial.ok() && noise_of(trial.value().record.measurements) * kAlikeNoise < noise) {
        noise = noise_of(trial.value().record.measurements);
        changed = change.configuration;
        fault = KnownFault{.cause = (fault ? fault->cause + " and " : "") + change.cause.name,
                           .is_one = !fault,
                           .change = (fault ? fault->change + " and " : "") + change.cause.change,
                           .without = std::move(trial.value().record.measurements)};
        return true;
      }
    }
    return false;
  };
  while (try_one()) {
  }
  return fault;
}

Status Survey::measure(const spec::Variant& variant) {
  ASSAY_ASSIGN(const VariantResult result, run_measurable(execution_, variant));
  measured_.push_back({.configuration = variant.configuration,
                       .measurements = result.measurements,
                       .fault = find_fault(variant.configuration, result)});
  return {};
}

MeasuredChecks Survey::checks(double headroom) {
  MeasuredChecks made = measured_checks(measured_, headroom, [this](std::size_t position, const spec::Condition& axes) {
    return cause_of(position, axes);
  });
  if (const std::optional<std::string> finding = calibration_finding()) {
    made.findings.push_back(*finding);
  }
  return made;
}

// Whether an external runtime errs as assay's own does where pairs saturate.
bool Survey::saturates_as_own(const MeasuredVariant& variant) {
  const std::optional<OwnSiblings> own = own_siblings(execution_, variant.configuration);
  if (!own || !is_clearly_better(own->exact, variant)) {
    return false;
  }
  const Result<Trial> external = try_under(execution_, variant.configuration, variant.configuration);
  return external.ok() &&
         is_much_nearer(external.value().ran.outputs, own->saturating.ran.outputs, own->exact.ran.outputs);
}

// What changes one of the axes and makes the error clearly smaller.
std::optional<Cause> Survey::cause_of(std::size_t position, const spec::Condition& axes) {
  const MeasuredVariant& variant = measured_[position];
  if (is_external(variant.configuration) && saturates_as_own(variant)) {
    return Cause{"pair-saturation", "runtime.name=assay and runtime.precision=exact"};
  }
  const Result<api::Model> model = execution_.model();
  for (const Change& change : changes_of(variant.configuration, graph_of(model))) {
    if (std::ranges::find(axes.terms, change.axis, &std::pair<std::string, std::vector<spec::Json>>::first) ==
        axes.terms.end()) {
      continue;
    }
    const Result<Trial> trial = try_under(execution_, variant.configuration, change.configuration);
    if (trial.ok() && is_clearly_better(trial.value(), variant)) {
      return change.cause;
    }
  }
  return std::nullopt;
}

// Calibration data that do not fit the inputs: no axis says so, and every variant has it.
std::optional<std::string> Survey::calibration_finding() {
  for (const MeasuredVariant& variant : measured_) {
    if (variant.fault || !execution_.can_calibrate_on_inputs(variant.configuration)) {
      continue;
    }
    const Result<Trial> trial = try_calibrated_on_inputs(execution_, variant.configuration);
    if (trial.ok() && is_clearly_better(trial.value(), variant)) {
      return fmt::format(
          "the calibration data do not fit the inputs: {} the error that {} gives (calibration-range); the "
          "tolerances are as measured",
          times_text(noise_of(variant.measurements) / noise_of(trial.value().record.measurements)),
          kInputsAsCalibration);
    }
    break;  // one of them tells: that takes a calibration of its own
  }
  return std::nullopt;
}

}  // namespace assay::run
