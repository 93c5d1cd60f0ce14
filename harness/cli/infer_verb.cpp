// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "engine/api/session.h"
#include "engine/base/output_file.h"
#include "harness/cli/file_targets.h"
#include "harness/cli/flags.h"
#include "harness/cli/model_times.h"
#include "harness/cli/node_times.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/external/runtime_host.h"
#include "harness/run/feed.h"
#include "harness/run/output_folder.h"
#include "harness/run/settings.h"
#include "harness/spec/data_source.h"
#include "harness/spec/sanitized_name.h"
#include "reports/exit_code.h"
#include "reports/number_text.h"
#include "reports/printable.h"
#include "reports/text_table.h"

namespace assay::cli {
namespace {

struct InferFlags {
  std::string model;
  std::vector<std::string> inputs;
  std::vector<std::string> settings;
  std::string folder;
  std::string trace;      // empty: none
  std::string optimized;  // file for the optimised model; "" writes none
  std::string times;      // file for the times of loading, planning and running; "" writes none
  double seconds = 1;     // of repeated runs for it
  bool profile = false;

  bool measures() const { return profile || !trace.empty(); }
};

Result<api::NamedTensors> load_inputs(const std::vector<std::string>& arguments) {
  api::NamedTensors inputs;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return invalid_argument(fmt::format("--input {}: NAME=FILE.npy is needed", argument));
    }
    const std::string name = argument.substr(0, equals);
    const std::string path = argument.substr(equals + 1);
    if (path.empty()) {
      return invalid_argument(fmt::format("--input {}: the name of a file is missing for input '{}'", argument, name));
    }
    Result<Tensor> tensor = path.ends_with(".pb") ? api::load_tensor_proto(path) : spec::load_npy(path);
    if (!tensor.ok()) {
      return tensor.error();
    }
    if (!inputs.try_emplace(name, std::move(tensor).value()).second) {
      return invalid_argument(fmt::format("--input {}: input '{}' is given twice", argument, name));
    }
  }
  return inputs;
}

std::string saturated_text(const std::vector<api::SaturationInfo>& saturation, const std::string& node) {
  for (const api::SaturationInfo& entry : saturation) {
    if (entry.node == node) {
      return fmt::format("{} of {}", entry.saturated, entry.pairs);
    }
  }
  return "";
}

// `nodes`: the optimised graph's, which name the passes that made them; none for other runtimes.
// Nested kernels have no times of their own: their node's holds them.
reports::TextTable kernel_table(const std::vector<api::KernelInfo>& kernels, const std::vector<Node>& nodes,
                                const NodeTimes& times, const std::vector<api::SaturationInfo>& saturation,
                                bool profile) {
  using reports::Align;
  reports::TextTable table;
  table.columns = {{"node", Align::kLeft},   {"op", Align::kLeft},         {"kernel", Align::kLeft},
                   {"isa", Align::kLeft},    {"arithmetic", Align::kLeft}, {"native", Align::kLeft},
                   {"made by", Align::kLeft}};
  if (profile) {
    table.columns.push_back({"time", Align::kRight});
    table.columns.push_back({"saturated pairs", Align::kRight});
  }
  std::size_t node = 0;
  for (const api::KernelInfo& k : kernels) {
    const bool has_origin = !k.nested && node < nodes.size();
    std::vector<std::string> row = {k.node,
                                    k.op,
                                    k.kernel,
                                    k.isa,
                                    k.arithmetic,
                                    k.native ? "native" : "emulated",
                                    has_origin ? nodes[node].origin : ""};
    if (profile) {
      row.push_back(times.spans().empty() || k.nested ? "" : reports::time_text(times.total_ns(node)));
      row.push_back(saturated_text(saturation, k.node));
    }
    node += k.nested ? 0 : 1;
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<NamedFile> files_read(const InferFlags& flags) {
  std::vector<NamedFile> files = model_files("the model", flags.model);
  for (const std::string& input : flags.inputs) {
    files.push_back(argument_file("--input", input));
  }
  return files;
}

std::vector<NamedFile> files_written(const InferFlags& flags) {
  const std::string tensors = flags.optimized.empty() ? "" : flags.optimized + ".data";
  return {{"--trace", flags.trace},
          {"--save-optimized", flags.optimized},
          {"the tensors of --save-optimized", tensors},
          {"--times", flags.times}};
}

// The file of each output; two outputs must not share one, and none may be another file of the command line.
Result<std::map<std::string, std::string>> output_files(const InferFlags& flags, const api::NamedTensors& outputs) {
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> taken;
  for (const auto& [name, tensor] : outputs) {
    const std::string file = (std::filesystem::path(flags.folder) / (spec::sanitized_name(name) + ".npy")).string();
    const auto [other, added] = taken.try_emplace(file, name);
    if (!added) {
      return invalid_argument(
          fmt::format("outputs '{}' and '{}' would both be written to {}", other->second, name, file));
    }
    files[name] = file;
  }
  std::vector<NamedFile> others = files_read(flags);
  for (NamedFile& written : files_written(flags)) {
    others.push_back(std::move(written));
  }
  for (const auto& [name, file] : files) {
    const NamedFile output{fmt::format("output '{}' in", name), file};
    ASSAY_TRY(check_apart(std::span(&output, 1), others));
  }
  return files;
}

std::string memory_text(const api::MemoryInfo& memory) {
  return fmt::format(
      "memory: {} for intermediate tensors in one arena; {} live at once, {} without reuse; {} for outputs",
      reports::bytes_text(memory.arena_bytes), reports::bytes_text(memory.peak_bytes),
      reports::bytes_text(memory.sum_bytes), reports::bytes_text(memory.outside_bytes));
}

struct Inferred {
  std::string table;
  std::string memory;  // a line, where asked for
  std::string trace;   // likewise, a file
  std::string times;   // likewise
  api::NamedTensors outputs;
  std::vector<std::string> warnings;
  std::map<std::string, std::string> files;
  std::optional<api::Model> optimized;  // where it is to be written
};

// What is wrong with the runtime's settings shows before anything is read.
Status check_runtime(const spec::Configuration& configuration, run::RuntimeHost& host) {
  if (!run::is_external(configuration)) {
    ASSAY_TRY(run::session_options(configuration));
    return {};
  }
  ASSAY_ASSIGN(const run::RuntimeEntry entry, host.entry(configuration.text("runtime.name")));
  const std::optional<std::string> missing = run::missing_part(entry);
  return missing ? Status(unsupported(*missing)) : Status();
}

Result<Inferred> infer(const InferFlags& flags) {
  run::RuntimeHost host;
  ASSAY_ASSIGN(const spec::Configuration configuration, configuration_of(flags.settings, "runtime."));
  ASSAY_TRY(check_effects(flags.settings, configuration));
  ASSAY_TRY(check_runtime(configuration, host));
  ASSAY_ASSIGN(const api::NamedTensors inputs, load_inputs(flags.inputs));
  ModelTimes model_times;
  ASSAY_ASSIGN(api::Model loaded, api::Model::load(flags.model));
  std::optional<api::Model> model = std::move(loaded);
  model_times.loaded();
  ASSAY_ASSIGN(const std::shared_ptr<run::RuntimeSession> session, run::open_session(*model, configuration, host));
  model_times.planned();
  ASSAY_ASSIGN(const run::FeedPlan plan, run::plan_feed(model->graph(), inputs, run::batch_size(configuration), false));
  model.reset();  // weights that the session has changed are there once
  Inferred inferred;
  if (!flags.optimized.empty()) {
    if (session->own() == nullptr) {
      return unsupported("--save-optimized needs runtime.name=assay: other runtimes do not show their graph");
    }
    ASSAY_ASSIGN(inferred.optimized, api::Model::from_graph(session->own()->optimized_graph()));
  }
  if (!flags.times.empty()) {
    const auto call = [&]() -> Status {
      ASSAY_TRY(run::feed(*session, inputs, plan));
      return {};
    };
    ASSAY_TRY(call());
    model_times.ran_first();
    ASSAY_TRY(model_times.repeat(call, flags.seconds));
    inferred.times = model_times.json();
  }
  NodeTimes times;
  api::RunOptions options;
  if (flags.measures()) {
    if (flags.times.empty()) {  // the first run chooses implementations and takes memory
      ASSAY_TRY(run::feed(*session, inputs, plan));
    }
    options = times.options();
  }
  options.witness_saturation = flags.profile;
  ASSAY_ASSIGN(api::RunResult result, run::feed(*session, inputs, plan, options));
  if (!flags.trace.empty()) {
    inferred.trace = chrome_trace(times.spans(), session->kernels());
  }
  if (flags.profile && session->own() != nullptr) {
    inferred.memory = memory_text(session->own()->memory());
  }
  ASSAY_ASSIGN(inferred.files, output_files(flags, result.outputs));
  inferred.table = reports::render_plain(kernel_table(
      session->kernels(), session->own() == nullptr ? std::vector<Node>() : session->own()->optimized_graph().nodes,
      times, result.saturation, flags.profile));
  inferred.outputs = std::move(result.outputs);
  inferred.warnings = std::move(result.warnings);
  return inferred;
}

int infer_action(const InferFlags& flags) {
  if (flags.folder.empty()) {
    return complain("-o needs the name of a folder, found ''", reports::kExitUsage);
  }
  if (const Status apart = check_apart(files_written(flags), files_read(flags)); !apart.ok()) {
    return complain(apart.error());
  }
  for (const NamedFile& file : files_written(flags)) {
    // The folder of the outputs is made once there are some.
    const std::string folder = std::filesystem::path(file.path).parent_path().string();
    const bool later = file.path.empty() || (!std::filesystem::exists(flags.folder) &&
                                             canonical(folder.empty() ? "." : folder) == canonical(flags.folder));
    if (const Status target = later ? Status() : check_replaceable(file.path); !target.ok()) {
      return complain(target.error().message, reports::kExitHarness);
    }
  }
  const Result<Inferred> inferred = infer(flags);
  if (!inferred.ok()) {
    return complain(inferred.error());
  }
  if (const Status folder = run::prepare_folder(flags.folder); !folder.ok()) {
    return complain(folder.error().message, reports::kExitHarness);
  }
  for (const auto& [name, tensor] : inferred.value().outputs) {
    const std::string& file = inferred.value().files.at(name);
    if (const Status saved = spec::save_npy(file, tensor); !saved.ok()) {
      return complain(saved.error().message, reports::kExitHarness);
    }
    say("output '" + name + "' is in " + file);
  }
  for (const std::string& warning : inferred.value().warnings) {
    say("warning: " + warning);
  }
  if (!flags.trace.empty()) {
    if (const Status saved = replace_file(flags.trace, inferred.value().trace); !saved.ok()) {
      return complain(saved.error().message, reports::kExitHarness);
    }
    say("the nodes' times are in " + flags.trace);
  }
  if (!flags.times.empty()) {
    if (const Status saved = replace_file(flags.times, inferred.value().times); !saved.ok()) {
      return complain(saved.error().message, reports::kExitHarness);
    }
    say("the times of loading, planning and running are in " + flags.times);
  }
  if (!inferred.value().memory.empty()) {
    say(inferred.value().memory);
  }
  if (inferred.value().optimized.has_value()) {
    if (const Status saved = inferred.value().optimized->save(flags.optimized); !saved.ok()) {
      return complain(saved.error().message, reports::kExitHarness);
    }
    say("the optimised model is in " + flags.optimized);
  }
  return print_data(reports::printable(inferred.value().table));
}

}  // namespace

void define_infer(CLI::App& command, Action& action) {
  auto flags = std::make_shared<InferFlags>();
  command.add_option("MODEL", flags->model, "Model to run (.onnx)")->required();
  command.add_option("--input", flags->inputs, "NAME=FILE.npy (or .pb); one per input")->allow_extra_args(false);
  command.add_option("--set", flags->settings, "runtime.axis=value; may be repeated")->allow_extra_args(false);
  command.add_option("-o,--output", flags->folder, "Folder for the outputs, <name>.npy each")->required();
  command.add_flag("--profile", flags->profile, "Also show each node's time, its saturated pairs, and memory");
  command.add_option("--trace", flags->trace, "Also write each node's time to FILE.json, in Chrome's trace format");
  command.add_option(
      "--save-optimized", flags->optimized,
      "Also write the optimised model to this file; each node's doc_string names the passes that made it");
  command.add_option("--times", flags->times,
                     "Also run it again and again, and write what loading, planning and each run took, and the\n"
                     "process's memory, to FILE.json");
  command.add_option("--seconds", flags->seconds, "How long --times repeats runs")
      ->check(number_between(0, 3600))
      ->capture_default_str();
  command.callback([flags, &action] { action = [flags] { return infer_action(*flags); }; });
}

}  // namespace assay::cli
