// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include "engine/api/quantize.h"
#include "engine/base/output_file.h"
#include "harness/cli/flags.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/range_file.h"
#include "harness/run/settings.h"
#include "harness/spec/data_source.h"
#include "reports/exit_code.h"
#include "reports/text_table.h"

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
  bool external_data = false;
};

Json report_json(const QuantizeFlags& flags, const api::QuantizeResult& result) {
  Json json = Json::object();
  json["input"] = flags.input;
  json["output"] = flags.output;
  json["samples"] = result.samples;
  json["preparation"] = result.preparation;
  json["nodes"] = Json::array();
  for (const api::NodeDecision& node : result.nodes) {
    json["nodes"].push_back(
        {{"node", node.node}, {"op", node.op_type}, {"quantized", node.quantized}, {"reason", node.reason}});
  }
  json["tensors"] = Json::array();
  for (const api::TensorParams& tensor : result.tensors) {
    json["tensors"].push_back({{"tensor", tensor.tensor},
                               {"type", dtype_name(tensor.dtype)},
                               {"scales", tensor.scales},
                               {"zero_points", tensor.zero_points},
                               {"axis", tensor.axis},
                               {"min", tensor.min},
                               {"max", tensor.max}});
  }
  json["warnings"] = result.warnings;
  return json;
}

reports::TextTable decision_table(const api::QuantizeResult& result) {
  reports::TextTable table;
  table.columns = {{"node", reports::Align::kLeft},
                   {"op", reports::Align::kLeft},
                   {"computes in", reports::Align::kLeft},
                   {"why", reports::Align::kLeft}};
  for (const api::NodeDecision& node : result.nodes) {
    table.rows.push_back({node.node, node.op_type, node.quantized ? "integers" : "float", node.reason});
  }
  return table;
}

// --set, and --ranges as the axis that it stands for.
Result<spec::Configuration> configuration_for(const QuantizeFlags& flags) {
  ASSAY_ASSIGN(spec::Configuration configuration, configuration_of(flags.settings, "quantizer."));
  if (!flags.ranges.empty()) {
    if (configuration.is_set("quantizer.ranges")) {
      return invalid_argument("--ranges and --set quantizer.ranges name the same thing: give one of them");
    }
    configuration.set("quantizer.ranges", flags.ranges);
  }
  return configuration;
}

Result<api::QuantizeResult> quantize(const QuantizeFlags& flags) {
  ASSAY_ASSIGN(const api::Model model, api::Model::load(flags.input));
  if (flags.to_u8) {
    if (!flags.settings.empty() || !flags.calibration.empty() || !flags.ranges.empty() || !flags.save_ranges.empty()) {
      return invalid_argument(
          "--to-u8 converts a quantized model as it is: --set, --calibration, --ranges and --save-ranges have no "
          "meaning");
    }
    return api::convert_s8_to_u8(model);
  }
  ASSAY_ASSIGN(const spec::Configuration configuration, configuration_for(flags));
  if (!run::quantizes(configuration)) {
    return invalid_argument("quantizer.format=none leaves nothing to do");
  }
  ASSAY_ASSIGN(quantizer::Options options, run::quantizer_options(configuration, ""));
  options.calibration.threads = flags.jobs > 0 ? flags.jobs : static_cast<int>(std::thread::hardware_concurrency());
  api::CalibrationSource calibration = [](Index, api::NamedTensors&) { return Result<bool>(false); };
  if (!flags.calibration.empty()) {
    if (!options.ranges.empty() && !api::needs_calibration(options)) {
      return invalid_argument("--calibration has no effect where the ranges are given: give one of them");
    }
    ASSAY_ASSIGN(calibration, spec::open_calibration_data(flags.calibration, model.graph()));
  } else if (quantizer::needs_samples(options)) {
    return invalid_argument("--calibration DATA is needed for quantizer.smooth_quant and quantizer.bias_correction");
  } else if (api::needs_calibration(options)) {
    return invalid_argument("--calibration DATA is needed, or every range by --ranges FILE");
  }
  return api::quantize(model, calibration, options);
}

struct NamedFile {
  std::string what;
  std::string path;
};

// The result's tensors may not take the place of those of the model, unless the result takes the model's.
Status check_external_data(const QuantizeFlags& flags) {
  const std::string data = canonical(flags.output + ".data");
  if (canonical(flags.input) == canonical(flags.output) || !std::filesystem::exists(data)) {
    return {};
  }
  const std::filesystem::path folder = std::filesystem::path(flags.input).parent_path();
  for (const std::string& file : api::external_data_files(flags.input)) {
    if (canonical((folder / file).string()) == data) {
      return invalid_argument(
          fmt::format("-o {}: tensors beside it would go to {}.data, which holds those of {}; give another name",
                      flags.output, flags.output, flags.input));
    }
  }
  return {};
}

// No two files of the command line may be one where the later would undo the earlier.
Status check_files(const QuantizeFlags& flags) {
  if (flags.output.empty()) {
    return invalid_argument("-o needs the name of a file, found ''");
  }
  std::vector<NamedFile> taken = {{"-o", flags.output}, {"the model", flags.input}, {"--ranges", flags.ranges}};
  if (flags.external_data) {
    taken.push_back({"--external-data", flags.output + ".data"});
  }
  for (const std::string& data : flags.calibration) {
    taken.push_back({"--calibration", data});
    taken.push_back({"--calibration", data.substr(data.find('=') + 1)});
  }
  for (const NamedFile& own : {NamedFile{"--report", flags.report}, NamedFile{"--save-ranges", flags.save_ranges}}) {
    for (const NamedFile& other : taken) {
      if (!own.path.empty() && !other.path.empty() && canonical(other.path) == canonical(own.path)) {
        return invalid_argument(fmt::format("{} {}: this is the file of {} ({}); it needs one of its own", own.what,
                                            own.path, other.what, other.path));
      }
    }
    taken.push_back(own);
  }
  return check_external_data(flags);
}

Status save_ranges(const QuantizeFlags& flags, const api::QuantizeResult& result) {
  ASSAY_ASSIGN(const spec::Configuration configuration, configuration_for(flags));
  return replace_file(flags.save_ranges, run::format_ranges({.ranges = result.ranges,
                                                             .model_digest = result.model_digest,
                                                             .settings = run::calibration_settings(configuration),
                                                             .samples = result.samples,
                                                             .model = flags.input,
                                                             .data = Json(flags.calibration)}));
}

int quantize_action(const QuantizeFlags& flags) {
  if (const Status status = check_files(flags); !status.ok()) {
    return complain(status.error());
  }
  // Before the work, which may take long.
  for (const std::string* path : {&flags.output, &flags.report, &flags.save_ranges}) {
    const Status status = path->empty() ? Status() : check_replaceable(*path);
    if (!status.ok()) {
      return complain(status.error().message, reports::kExitHarness);
    }
  }
  const Result<api::QuantizeResult> result = quantize(flags);
  if (!result.ok()) {
    return complain(result.error());
  }
  for (const std::string& warning : result.value().warnings) {
    say("warning: " + warning);
  }
  // The model last: it is not there where anything could not be written.
  if (!flags.save_ranges.empty()) {
    if (const Status saved = save_ranges(flags, result.value()); !saved.ok()) {
      return complain(saved.error().message, reports::kExitHarness);
    }
  }
  if (!flags.report.empty()) {
    const std::string text =
        report_json(flags, result.value()).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    const Status written = replace_file(flags.report, text);
    if (!written.ok()) {
      return complain(written.error().message, reports::kExitHarness);
    }
  }
  if (const Status saved = result.value().model.save(flags.output, flags.external_data); !saved.ok()) {
    return complain(saved.error().message, reports::kExitHarness);
  }
  return print_data(reports::render_plain(decision_table(result.value())));
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
  command.add_option("--set", flags->settings, "quantizer.axis=value; may be repeated")->allow_extra_args(false);
  command.add_option("--report", flags->report, "Write decisions, scales and zero points to this JSON file");
  command.add_flag("--external-data", flags->external_data,
                   "Write tensors to OUT.onnx.data; done without being asked where one file cannot hold them");
  command.add_flag("--to-u8", flags->to_u8, "Convert a QDQ model from int8 to uint8: zero points and constants +128");
  command.callback([flags, &action] { action = [flags] { return quantize_action(*flags); }; });
}

}  // namespace assay::cli
