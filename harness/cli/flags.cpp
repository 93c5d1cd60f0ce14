// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/flags.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "engine/base/output_file.h"
#include "harness/cli/terminal.h"
#include "harness/spec/ort_options.h"
#include "harness/spec/settings.h"
#include "harness/spec/utf8.h"
#include "reports/exit_code.h"

namespace assay::cli {

void SelectFlags::define(CLI::App& command) {
  command.add_option("PATH", paths, "Case files, or folders to search for them");
  command.add_option("--onnx-tests", onnx_tests,
                     "A tree of ONNX backend tests (folders with model.onnx and test_data_set_N) in place of cases");
  command.add_option("--set", settings, "axis=value[,value...]: as if the matrix had this axis with these values")
      ->allow_extra_args(false);
  command
      .add_option("--filter", filters,
                  "Only these variants: a whole name, a pattern with * and ?, or a part of the name; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--tag", tags, "Only cases with this word in their \"tags\"; may be repeated")
      ->allow_extra_args(false);
  command
      .add_option("--tier", tier,
                  "Only cases whose \"tier\" (how often they are run; nightly if a case says nothing) is this or one "
                  "before it: "
                  "smoke, nightly, weekly. A tag of such a name is another thing")
      ->check(CLI::IsMember(spec::tier_names()));
  command
      .add_option("--shard", shard,
                  "i/n: the i-th of n parts; default: what Bazel, GoogleTest, GitLab or a Slurm array says")
      ->check(not_empty());
  command
      .add_option("--durations", durations,
                  "durations.json of an earlier run, or its folder: balances shards, sets time-outs")
      ->check(not_empty());
}

std::string nothing_selected(const std::string& hint) {
  return hint.empty() ? "nothing selected" : "nothing selected: " + hint;
}

Result<run::SelectOptions> SelectFlags::options() const {
  if (paths.empty() && onnx_tests.empty()) {
    return invalid_argument("PATH is required: case files or folders, or --onnx-tests DIR");
  }
  ASSAY_TRY(spec::check_utf8("--onnx-tests", onnx_tests));
  // All of them become part of names, rerun lines and JSON.
  for (const auto& [what, texts] : {std::pair("PATH", &paths), std::pair("--set", &settings),
                                    std::pair("--filter", &filters), std::pair("--tag", &tags)}) {
    for (const std::string& text : *texts) {
      ASSAY_TRY(spec::check_utf8(what, text));
    }
  }
  run::SelectOptions options{.paths = paths,
                             .onnx_tests = onnx_tests,
                             .settings = settings,
                             .filters = filters,
                             .tags = tags,
                             .shard = {},
                             .durations = nullptr};
  options.tier = spec::tier_of_name(tier);
  if (!durations.empty()) {
    ASSAY_ASSIGN(run::Durations known, run::Durations::read(durations));
    options.durations = std::make_shared<const run::Durations>(std::move(known));
  }
  if (shard.empty()) {
    ASSAY_ASSIGN(const std::optional<run::EnvironmentShard> stated, run::shard_of_environment(run::shard_variables()));
    if (stated) {
      say(fmt::format("shard {}/{}, as {} say", stated->shard.index, stated->shard.count, stated->source));
      options.shard = stated->shard;
      if (!stated->status_file.empty()) {
        if (const Status made = replace_file(stated->status_file, ""); !made.ok()) {
          return resource_error("the shard status file of the environment: " + made.error().message);
        }
      }
    }
  } else {
    Result<run::Shard> parsed = run::parse_shard(shard);
    if (!parsed.ok()) {
      return Error{parsed.error().kind, "--shard: " + parsed.error().message};
    }
    options.shard = parsed.value();
  }
  return options;
}

void OutputFlags::define(CLI::App& command) {
  command.add_option("--json", json, "Write JSON to this file; - is stdout, in place of the table");
  // Not bound to `color` itself: a bound flag is set to false where it is absent.
  command.add_flag_function(
      "--color,!--no-color", [this](std::int64_t count) { color = count > 0; },
      "Colour, or none; default: on a terminal, unless NO_COLOR is set");
}

int OutputFlags::write_json(const std::string& text) const {
  if (json.empty() || json_to_stdout()) {
    return 0;
  }
  const Status status = replace_file(json, text);
  return status.ok() ? 0 : complain(status.error().message, reports::kExitHarness);
}

CLI::Validator number_between(double low, double high) {
  return {[low, high](const std::string& text) {
            double value = 0;
            const bool number = CLI::detail::lexical_cast(text, value);
            return number && value >= low && value <= high
                       ? std::string()
                       : fmt::format("a number from {:g} to {:g} is needed, found '{}'", low, high, text);
          },
          fmt::format("in [{:g} - {:g}]", low, high)};
}

CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? "a value is needed, found ''" : std::string(); }, ""};
}

std::string canonical(const std::string& path) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : found.string();
}

Result<spec::Configuration> configuration_of(const std::vector<std::string>& settings, const std::string& prefix) {
  spec::Configuration configuration;
  std::vector<spec::Setting> all;
  for (const std::string& text : settings) {
    ASSAY_TRY(spec::add_setting(text, all));
    const spec::Setting& parsed = all.back();
    if (!parsed.axis.starts_with(prefix)) {
      return invalid_argument(fmt::format("--set {}: only {}* axes have a meaning here", text, prefix));
    }
    if (parsed.values.size() != 1) {
      return invalid_argument(fmt::format("--set {}: one value is needed, found {}", text, parsed.values.size()));
    }
    configuration.set(parsed.axis, parsed.values.front());
  }
  ASSAY_TRY(spec::apply_ort_options(configuration));
  return configuration;
}

Status check_effects(const std::vector<std::string>& settings, const spec::Configuration& configuration) {
  for (const std::string& text : settings) {
    ASSAY_ASSIGN(const spec::Setting setting, spec::parse_setting(text));
    const spec::Axis& axis = *spec::find_axis(setting.axis);
    if (configuration.get(setting.axis) != axis.fallback && !axis.applies(configuration)) {
      return invalid_argument(fmt::format("--set {}: it has no effect under the other settings", text));
    }
  }
  return {};
}

}  // namespace assay::cli
