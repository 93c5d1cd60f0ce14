// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/api/quantize.h"
#include "engine/base/output_file.h"
#include "harness/cli/file_targets.h"
#include "harness/cli/flags.h"
#include "harness/cli/quantize_report.h"
#include "harness/cli/quantize_target.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/range_file.h"
#include "harness/run/settings.h"
#include "harness/spec/data_source.h"
#include "reports/exit_code.h"
#include "reports/printable.h"

namespace assay::cli {
namespace {

using reports::Json;

struct QuantizeFlags {
  std::string input;
  std::string output;
  std::vector<std::string> calibration;
  std::vector<std::string> settings;
  std::string ranges;
  std::string save_ranges;
  int jobs = 0;  // 0: as many as the host has processors
  std::string report;
  bool to_u8 = false;
  bool explain = false;
  bool external_data = false;
  TargetFlags target;
};

// What a run of the verb came to.
struct Quantized {
  api::QuantizeResult result;
  spec::Configuration configuration;
  std::optional<TargetOutcome> search;
};

// Of --set those that begin with `prefix`, or the others.
std::vector<std::string> settings_with(const std::vector<std::string>& settings, const std::string& prefix, bool with) {
  std::vector<std::string> chosen;
  std::ranges::copy_if(settings, std::back_inserter(chosen),
                       [&](const std::string& text) { return text.starts_with(prefix) == with; });
  return chosen;
}

// --set, and --ranges as the axis that it stands for. With --target, runtime.* says how the result is measured.
Result<spec::Configuration> configuration_for(const QuantizeFlags& flags) {
  const bool target = !flags.target.target.empty();
  ASSAY_ASSIGN(
      spec::Configuration configuration,
      configuration_of(target ? settings_with(flags.settings, "runtime.", false) : flags.settings, "quantizer."));
  if (!target) {  // a search may come to where it has one
    ASSAY_TRY(check_effects(flags.settings, configuration));
  }
  if (!flags.ranges.empty()) {
    if (configuration.is_set("quantizer.ranges")) {
      return invalid_argument("--ranges and --set quantizer.ranges name the same thing: give one of them");
    }
    configuration.set("quantizer.ranges", flags.ranges);
  }
  return configuration;
}

Result<Quantized> convert_to_u8(const QuantizeFlags& flags, const api::Model& model) {
  if (!flags.settings.empty() || !flags.calibration.empty() || !flags.ranges.empty() || !flags.save_ranges.empty() ||
      !flags.target.target.empty() || flags.jobs > 0) {
    return invalid_argument(
        "--to-u8 converts a quantized model as it is: --set, --calibration, --ranges, --save-ranges, -j and --target "
        "have no meaning");
  }
  ASSAY_ASSIGN(api::QuantizeResult result, api::convert_s8_to_u8(model));
  return Quantized{.result = std::move(result), .configuration = {}, .search = std::nullopt};
}

// Flags that calibration alone gives a meaning.
Status check_calibration_flags(const QuantizeFlags& flags, const quantizer::Options& options) {
  const std::string why =
      options.ranges.empty() ? "nothing is calibrated in this quantizer.format" : "the ranges are given";
  if (!flags.ranges.empty() && !quantizer::needs_ranges(options) && flags.target.target.empty()) {
    return invalid_argument("--ranges has no effect: this quantizer.format needs none");
  }
  if (!flags.save_ranges.empty() && (!quantizer::needs_ranges(options) || !options.ranges.empty())) {
    return invalid_argument("--save-ranges has no effect: " + why);
  }
  if (api::needs_calibration(options) || !flags.target.target.empty()) {
    return {};
  }
  if (!flags.calibration.empty()) {
    return invalid_argument("--calibration has no effect: " + why);
  }
  return flags.jobs > 0 ? Status(invalid_argument("-j has no effect: " + why)) : Status();
}

Result<Quantized> quantize_to_target(const QuantizeFlags& flags, const TargetRequest& request) {
  TargetRequest complete = request;
  ASSAY_ASSIGN(complete.runtime, configuration_of(settings_with(flags.settings, "runtime.", true), "runtime."));
  ASSAY_ASSIGN(TargetOutcome outcome, reach_target(flags.target, complete));
  api::QuantizeResult result = outcome.result.quantized;
  spec::Configuration configuration = outcome.result.configuration;
  return Quantized{
      .result = std::move(result), .configuration = std::move(configuration), .search = std::move(outcome)};
}

Result<Quantized> quantize(const QuantizeFlags& flags) {
  ASSAY_ASSIGN(const api::Model model, api::Model::load(flags.input));
  if (flags.to_u8) {
    return convert_to_u8(flags, model);
  }
  ASSAY_ASSIGN(const spec::Configuration configuration, configuration_for(flags));
  if (!run::quantizes(configuration)) {
    return invalid_argument("quantizer.format=none leaves nothing to do");
  }
  ASSAY_ASSIGN(quantizer::Options options, run::quantizer_options(configuration, ""));
  options.calibration.threads = flags.jobs > 0 ? flags.jobs : static_cast<int>(std::thread::hardware_concurrency());
  options.calibration.every_range = !flags.save_ranges.empty();
  api::CalibrationSource calibration = [](Index, api::NamedTensors&) { return Result<bool>(false); };
  const bool target = !flags.target.target.empty();
  ASSAY_TRY(check_calibration_flags(flags, options));
  if (!flags.calibration.empty()) {
    ASSAY_ASSIGN(calibration, spec::open_calibration_data(flags.calibration, model.graph()));
  } else if (quantizer::needs_samples(options)) {
    return invalid_argument("--calibration DATA is needed for quantizer.smooth_quant and quantizer.bias_correction");
  } else if (api::needs_calibration(options)) {
    return invalid_argument("--calibration DATA is needed, or every range by --ranges FILE");
  }
  if (target) {
    return quantize_to_target(flags, {.model = model,
                                      .quantizer = configuration,
                                      .runtime = {},
                                      .calibration = flags.calibration,
                                      .source = calibration,
                                      .threads = options.calibration.threads});
  }
  ASSAY_ASSIGN(api::QuantizeResult result, api::quantize(model, calibration, options));
  return Quantized{.result = std::move(result), .configuration = configuration, .search = std::nullopt};
}

// The file that --set quantizer.ranges=FILE names; "" where it names none.
std::string ranges_setting(const QuantizeFlags& flags) {
  constexpr std::string_view kSetting = "quantizer.ranges=";
  for (const std::string& text : flags.settings) {
    if (text.starts_with(kSetting) && !text.ends_with('}')) {
      return text.substr(kSetting.size());
    }
  }
  return "";
}

// No two files of the command line may be one where the later would undo the earlier.
Status check_files(const QuantizeFlags& flags) {
  if (flags.output.empty()) {
    return invalid_argument("-o needs the name of a file, found ''");
  }
  std::vector<NamedFile> read = {
      {"--ranges", flags.ranges}, {"--labels", flags.target.labels}, {"quantizer.ranges", ranges_setting(flags)}};
  for (const std::string& data : flags.calibration) {
    read.push_back(argument_file("--calibration", data));
  }
  for (const std::string& data : flags.target.validation) {
    read.push_back(argument_file("--validation", data));
  }
  const std::vector<NamedFile> written = {{"--report", flags.report}, {"--save-ranges", flags.save_ranges}};
  // The model itself may be replaced, and then the file of tensors beside it. Elsewhere that file is none of the
  // model's, whether it is asked for or comes of the result's size.
  const std::vector<NamedFile> tensors = external_files_of("the model", flags.input);
  const NamedFile beside = {"--external-data", flags.output + ".data"};
  std::vector<NamedFile> others = read;
  others.insert(others.end(), tensors.begin(), tensors.end());
  const std::vector<NamedFile> output = {{"-o", flags.output}};
  ASSAY_TRY(check_apart(output, others));
  const bool replaces = canonical(flags.input) == canonical(flags.output);
  ASSAY_TRY(check_apart(std::span(&beside, 1), replaces ? read : others));
  others.insert(others.end(), {{"the model", flags.input}, output[0]});
  if (flags.external_data) {
    others.push_back(beside);
  }
  return check_apart(written, others);
}

Status save_ranges(const QuantizeFlags& flags, const Quantized& quantized) {
  return replace_file(flags.save_ranges,
                      run::format_ranges({.ranges = quantized.result.ranges,
                                          .model_digest = quantized.result.model_digest,
                                          .settings = run::calibration_settings(quantized.configuration),
                                          .samples = quantized.result.samples,
                                          .model = flags.input,
                                          .data = Json(flags.calibration)}));
}

Status save_report(const QuantizeFlags& flags, const Quantized& quantized) {
  Json json = {{"input", flags.input}, {"output", flags.output}};
  json.update(quantize_json(quantized.result));
  if (quantized.search) {
    json["search"] = quantized.search->json;
  }
  return replace_file(flags.report, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

// The model last: where it is there, everything is.
Status save_all(const QuantizeFlags& flags, const Quantized& quantized) {
  if (!flags.save_ranges.empty()) {
    ASSAY_TRY(save_ranges(flags, quantized));
  }
  if (!flags.report.empty()) {
    ASSAY_TRY(save_report(flags, quantized));
  }
  return quantized.result.model.save(flags.output, flags.external_data);
}

int quantize_action(const QuantizeFlags& flags) {
  for (const Status& status :
       {check_files(flags), flags.target.target.empty() ? flags.target.check_unused() : Status()}) {
    if (!status.ok()) {
      return complain(status.error());
    }
  }
  // Before the work, which may take long.
  for (const std::string* path : {&flags.output, &flags.report, &flags.save_ranges}) {
    const Status status = path->empty() ? Status() : check_replaceable(*path);
    if (!status.ok()) {
      return complain(status.error().message, reports::kExitHarness);
    }
  }
  const Result<Quantized> done = quantize(flags);
  if (!done.ok()) {
    return complain(done.error());
  }
  const Quantized& quantized = done.value();
  for (const std::string& warning : quantized.result.warnings) {
    say("warning: " + warning);
  }
  if (const Status saved = save_all(flags, quantized); !saved.ok()) {
    return complain(saved.error().message, reports::kExitHarness);
  }
  const std::string path = quantized.search ? quantized.search->text + "\n" : "";
  const bool met = !quantized.search || quantized.search->result.met;
  return print_data(
      reports::printable(path + (flags.explain ? explanation_text(quantized.result) : nodes_text(quantized.result))),
      met ? reports::kExitPass : reports::kExitFailed);
}

}  // namespace

void define_quantize(CLI::App& command, Action& action) {
  auto flags = std::make_shared<QuantizeFlags>();
  command.add_option("IN", flags->input, "Model to quantize (.onnx)")->required();
  command.add_option("-o,--output", flags->output, "Where the result goes (.onnx)")->required();
  command
      .add_option("--calibration", flags->calibration,
                  ".npz with an array per input, samples stacked on a new first axis; a folder of test_data_set_N; or "
                  "NAME=FILE.npy for each input")
      ->allow_extra_args(false);
  command.add_option("--ranges", flags->ranges, "Take the ranges from this file (docs/calibration.md) and run nothing");
  command.add_option("--save-ranges", flags->save_ranges, "Write the calibrated ranges to this file");
  command.add_option("-j,--jobs", flags->jobs, "Samples calibrated at the same time (default: as many as processors)")
      ->check(CLI::Range(1, 256));
  command
      .add_option("--set", flags->settings,
                  "quantizer.axis=value; with --target also runtime.axis=value; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--report", flags->report, "Write decisions, scales and zero points to this JSON file");
  command.add_flag("--external-data", flags->external_data,
                   "Write tensors to OUT.onnx.data; done without being asked where one file cannot hold them");
  command.add_flag("--explain", flags->explain,
                   "Print why nodes stayed float, by reason, and every tensor's parameters too");
  flags->target.define(command);
  command.add_flag("--to-u8", flags->to_u8, "Convert a QDQ model from int8 to uint8: zero points and constants +128");
  command.callback([flags, &action] { action = [flags] { return quantize_action(*flags); }; });
}

}  // namespace assay::cli
