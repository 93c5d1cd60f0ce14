// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <span>

#include "engine/base/output_file.h"
#include "harness/cli/file_targets.h"
#include "harness/cli/flags.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/new_case.h"
#include "harness/run/output_folder.h"
#include "harness/run/progress_line.h"
#include "harness/spec/settings.h"
#include "reports/exit_code.h"

namespace assay::cli {
namespace {

struct NewFlags {
  run::NewCaseOptions options;
  std::vector<std::string> settings;
  bool force = false;
};

Status check_target(const NewFlags& flags) {
  const std::string& file = flags.options.file;
  if (file.empty()) {
    return {};
  }
  std::error_code code;
  if (std::filesystem::exists(file, code) && !flags.force) {
    return invalid_argument(file + " is there already; --force replaces it");
  }
  if (std::filesystem::path(file).extension() != ".json") {
    return invalid_argument(fmt::format("-o {}: a case file ends in .json", file));
  }
  return {};
}

// Whether the folder is there or can be made, as far as that shows without making it.
Status check_folder(const std::string& file) {
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code code;
  while (!folder.empty() && !std::filesystem::exists(folder, code)) {
    folder = folder.parent_path();
  }
  if (!folder.empty() && !std::filesystem::is_directory(folder, code)) {
    return io_error(fmt::format("-o {}: {} is no folder", file, folder.string()));
  }
  return {};
}

// Nothing is made before there is something to write.
Status write_case(const std::string& file, const std::string& text) {
  if (const std::string folder = std::filesystem::path(file).parent_path().string(); !folder.empty()) {
    ASSAY_TRY(run::prepare_folder(folder));
  }
  return replace_file(file, text);
}

// What is wrong with the configurations, and what the checks leave open.
void say_findings(const run::NewCase& made) {
  for (const std::string& finding : made.findings) {
    say(finding);
  }
  for (const reports::VariantResult& result : made.results) {
    if (result.outcome != reports::Outcome::kPass && result.outcome != reports::Outcome::kXfail) {
      say(fmt::format("{} {}: {}", outcome_name(result.outcome), result.name, result.reason));
    }
  }
}

// The case is none of the files that it is made of.
Status check_files(const run::NewCaseOptions& options) {
  std::vector<NamedFile> read = model_files("the model", options.model);
  read.push_back({"--labels", options.labels});
  read.push_back({"--calibration", options.calibration});
  for (const std::string& input : options.inputs) {
    read.push_back(argument_file("--input", input));
  }
  const NamedFile written{"-o", options.file};
  return check_apart(std::span(&written, 1), read);
}

int new_action(NewFlags flags) {
  for (const std::string& text : flags.settings) {
    if (const Status added = spec::add_setting(text, flags.options.matrix); !added.ok()) {
      return complain(added.error());
    }
  }
  for (const Status& status : {check_target(flags), check_files(flags.options)}) {
    if (!status.ok()) {
      return complain(status.error());
    }
  }
  if (const Status status = check_folder(flags.options.file); !status.ok()) {
    return complain(status.error().message, reports::kExitHarness);
  }
  run::ProgressLine progress(stderr_is_terminal());
  flags.options.on_progress = [&](std::size_t done, std::size_t total) {
    if (progress.due()) {
      progress.show(fmt::format("{}{} of {} runs of variants",
                                progress.terminal() ? run::progress_bar(done, total) : "", done, total));
    }
  };
  const Result<run::NewCase> made = run::make_case(flags.options);
  progress.finish();
  if (!made.ok()) {
    return complain(made.error());
  }
  say_findings(made.value());
  if (flags.options.file.empty()) {
    return print_data(made.value().text);
  }
  const Status written = write_case(flags.options.file, made.value().text);
  if (!written.ok()) {
    return complain(written.error().message, reports::kExitHarness);
  }
  std::map<reports::Outcome, std::int64_t> counts;
  for (const reports::VariantResult& result : made.value().results) {
    ++counts[result.outcome];
  }
  say(fmt::format("{}: {} variants ({}), measured with {:g} times head room", flags.options.file,
                  made.value().results.size(), reports::counts_text(counts), flags.options.headroom));
  return reports::kExitPass;
}

}  // namespace

void define_new(CLI::App& command, Action& action) {
  auto flags = std::make_shared<NewFlags>();
  run::NewCaseOptions& options = flags->options;
  command.add_option("MODEL", options.model, "The model (.onnx)")->required();
  command.add_option("-o,--output", options.file, "The case file; left out: the case is printed");
  command.add_option("--name", options.name, "Name of the case (default: that of the file)");
  command
      .add_option("--input", options.inputs,
                  "NAME=FILE.npy for each input, or a folder with input_K.pb or .npy; left out: random values")
      ->allow_extra_args(false);
  command.add_option("--labels", options.labels, "The inputs are a labelled data set: the right class of each (.npy)");
  command.add_option("--calibration", options.calibration, "A folder with test_data_set_N, or an .npz file");
  command.add_option("--set", flags->settings, "axis=value[,value...] of the matrix; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--headroom", options.headroom, "Tolerances are so many times the errors measured (default 1.5)")
      ->check(number_between(1, 1000));
  command.add_flag("--force", flags->force, "Replace the case file if it is there");
  command.callback([flags, &action] { action = [flags] { return new_action(*flags); }; });
}

}  // namespace assay::cli
