// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/quantize_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/flags.h"
#include "harness/cli/terminal.h"
#include "harness/run/progress_line.h"
#include "harness/run/settings.h"
#include "harness/spec/data/archive.h"
#include "harness/spec/data_source.h"
#include "harness/spec/settings.h"

namespace assay::cli {
namespace {

bool is_integer(DType dtype) {
  return dtype_integer_range(dtype).max != 0 || dtype == DType::kInt64 || dtype == DType::kUint64;
}

// --labels, or the array "labels" of the .npz that the samples are in; empty where the target needs none.
Result<Tensor> read_labels(const TargetFlags& flags, const tune::Target& target,
                           const std::vector<std::string>& validation) {
  if (!target.needs_labels()) {
    if (!flags.labels.empty()) {
      return invalid_argument(fmt::format("--labels has no effect on the target {}", target.text));
    }
    return Tensor();
  }
  const bool archive = validation.size() == 1 && validation[0].ends_with(".npz");
  if (flags.labels.empty() && !archive) {
    return invalid_argument(
        fmt::format("--target {} needs --labels FILE.npy, an integer for each sample", target.text));
  }
  const std::string& path = flags.labels.empty() ? validation[0] : flags.labels;
  ASSAY_ASSIGN(Tensor labels, flags.labels.empty() ? spec::load_npz(path, "labels") : spec::load_npy(path));
  if (!is_integer(labels.dtype()) || labels.rank() != 1) {
    return invalid_argument(fmt::format("{}: labels must be integers of one dimension, found {} {}", path,
                                        dtype_name(labels.dtype()), shape_text(labels.shape())));
  }
  return labels;
}

// --search axis=value[,value...]: these values in place of those that the axis would try.
Result<std::vector<tune::Alternative>> alternatives_of(const std::vector<std::string>& texts) {
  std::vector<tune::Alternative> all = tune::default_alternatives();
  std::vector<spec::Setting> settings;
  for (const std::string& text : texts) {
    if (const Status added = spec::add_setting(text, settings); !added.ok()) {
      std::string message = added.error().message;
      message.replace(message.find("--set"), 5, "--search");
      return invalid_argument(message);
    }
    const spec::Setting& setting = settings.back();
    if (!setting.axis.starts_with("quantizer.")) {
      return invalid_argument(fmt::format("--search {}: only quantizer.* axes can be searched", text));
    }
    if (setting.axis == "quantizer.format" &&
        std::ranges::find(setting.values, spec::Json("none")) != setting.values.end()) {
      return invalid_argument(
          fmt::format("--search {}: format none quantizes nothing, so there is nothing to try", text));
    }
    tune::set_values(all, setting.axis, setting.values);
  }
  return all;
}

// Samples to measure on. Messages of data given by --validation speak of that flag.
Result<api::CalibrationSource> open_validation(const TargetFlags& flags, const std::vector<std::string>& data,
                                               const Graph& graph) {
  Result<api::CalibrationSource> samples = spec::open_calibration_data(data, graph);
  if (samples.ok() || flags.validation.empty()) {
    return samples;
  }
  constexpr std::string_view kOther = "--calibration";
  std::string message = samples.error().message;
  for (std::size_t at = message.find(kOther); at != std::string::npos; at = message.find(kOther, at)) {
    message.replace(at, kOther.size(), "--validation");
  }
  return Error{samples.error().kind, message};
}

Result<api::SessionOptions> session_of(const spec::Configuration& runtime) {
  for (const auto& [axis, value] : runtime.explicit_values()) {
    if (axis == "runtime.batch") {
      return invalid_argument("--set runtime.batch has no meaning here: samples are run one at a time");
    }
  }
  return run::session_options(runtime);
}

}  // namespace

void TargetFlags::define(CLI::App& command) {
  const char* group = "With --target";
  command
      .add_option("--target", target,
                  "Search settings, and layers to leave in float, until this holds: top1_drop<=POINTS, "
                  "top1_accuracy>=SHARE, top1_agreement>=SHARE, topN_agreement>=SHARE, sqnr>=DB, cosine>=VALUE ...")
      ->check(not_empty());
  command
      .add_option("--validation", validation,
                  "Samples to measure on, in the forms of --calibration (default: its data)")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--labels", labels,
                  "FILE.npy with the right class of each sample (default: the array 'labels' of an .npz)")
      ->group(group);
  command.add_option("--target-output", output, "The only output to measure (default: all; the first for classes)")
      ->group(group);
  command.add_option("--search", search, "quantizer.axis=value[,value...]: what to try; may be repeated")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--budget-seconds", budget_seconds, "Begin no trial after so many seconds (default: no limit)")
      ->check(number_between(1e-3, 1e9))
      ->group(group);
  command.add_option("--max-float-layers", max_float_layers, "Leave no more layers in float (default: all but one)")
      ->check(CLI::Range(Index{0}, Index{1} << 30))
      ->group(group);
}

Status TargetFlags::check_unused() const {
  const char* given = !validation.empty()     ? "--validation"
                      : !labels.empty()       ? "--labels"
                      : !output.empty()       ? "--target-output"
                      : !search.empty()       ? "--search"
                      : budget_seconds > 0    ? "--budget-seconds"
                      : max_float_layers >= 0 ? "--max-float-layers"
                                              : nullptr;
  return given == nullptr ? Status() : invalid_argument(fmt::format("{} has a meaning only with --target", given));
}

Result<TargetOutcome> reach_target(const TargetFlags& flags, const TargetRequest& request) {
  ASSAY_ASSIGN(const tune::Target target, tune::parse_target(flags.target));
  ASSAY_ASSIGN(const std::vector<tune::Alternative> alternatives, alternatives_of(flags.search));
  ASSAY_ASSIGN(const api::SessionOptions session, session_of(request.runtime));
  const std::vector<std::string>& validation = flags.validation.empty() ? request.calibration : flags.validation;
  if (validation.empty()) {
    return invalid_argument("--target needs samples to measure on: --validation DATA, or --calibration DATA");
  }
  ASSAY_ASSIGN(const api::CalibrationSource samples, open_validation(flags, validation, request.model.graph()));
  ASSAY_ASSIGN(const Tensor labels, read_labels(flags, target, validation));
  run::ProgressLine line(stderr_is_terminal());
  const auto progress = [&](const std::string& text, std::size_t done, std::size_t total) {
    if (line.due()) {
      line.show(
          fmt::format("{}{} of {}: {}", line.terminal() ? run::progress_bar(done, total) : "", done, total, text));
    }
  };
  ASSAY_ASSIGN(const tune::Evaluator evaluator,
               tune::Evaluator::create(
                   request.model, samples, labels,
                   {.target = target, .session = session, .output = flags.output, .threads = request.threads}));
  tune::Trials trials(request.model, request.source, request.threads);
  Result<tune::SearchResult> found = tune::search(trials, evaluator, target, request.quantizer,
                                                  {.alternatives = alternatives,
                                                   .budget_seconds = flags.budget_seconds,
                                                   .max_float_layers = flags.max_float_layers,
                                                   .progress = progress});
  line.finish();
  if (!found.ok()) {
    return found.error();
  }
  const std::vector<api::NodeDecision>& nodes = found.value().quantized.nodes;
  if (std::ranges::none_of(nodes, [](const api::NodeDecision& node) { return node.quantized; })) {
    return invalid_argument(fmt::format(
        "--target {}: none of the {} nodes is quantized, so no setting could miss the target; --explain without "
        "--target says why",
        flags.target, nodes.size()));
  }
  TargetOutcome outcome{.result = std::move(found).value(), .text = "", .json = {}};
  const std::string profile =
      fmt::format("optimization={} isa={} precision={}", api::optimization_name(session.optimization),
                  isa_name(session.profile.isa), precision_name(session.profile.precision));
  outcome.text = tune::render_text(outcome.result, evaluator, target) + "measured with " + profile + "\n";
  outcome.json = tune::to_json(outcome.result, evaluator, target, profile);
  return outcome;
}

}  // namespace assay::cli
