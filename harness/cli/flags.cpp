// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/flags.h"

#include <fmt/format.h>

#include "harness/cli/terminal.h"
#include "harness/run/output_folder.h"
#include "reports/exit_code.h"

namespace assay::cli {

void SelectFlags::define(CLI::App& command) {
  command.add_option("PATH", paths, "Case files, or folders to search for them")->required();
  command.add_option("--set", settings, "axis=value[,value...]: as if the matrix had this axis with these values")
      ->allow_extra_args(false);
  command
      .add_option("--filter", filters,
                  "Only these variants: a whole name, a pattern with * and ?, or a part of the name; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--tag", tags, "Only cases with this tag; may be repeated")->allow_extra_args(false);
  command.add_option("--shard", shard, "i/n: every n-th variant, starting with the i-th");
}

Result<run::SelectOptions> SelectFlags::options() const {
  run::SelectOptions options{.paths = paths, .settings = settings, .filters = filters, .tags = tags, .shard = {}};
  if (!shard.empty()) {
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
  const Status status = run::write_text_file(json, text);
  return status.ok() ? 0 : complain(status.error().message, reports::kExitHarness);
}

Result<spec::Configuration> configuration_of(const std::vector<std::string>& settings, const std::string& prefix) {
  spec::Configuration configuration;
  for (const std::string& text : settings) {
    Result<spec::Setting> setting = spec::parse_setting(text);
    if (!setting.ok()) {
      return Error{setting.error().kind, "--set " + text + ": " + setting.error().message};
    }
    const spec::Setting& parsed = setting.value();
    if (!parsed.axis.starts_with(prefix)) {
      return invalid_argument(fmt::format("--set {}: only {}* axes have a meaning here", text, prefix));
    }
    if (parsed.values.size() != 1) {
      return invalid_argument(fmt::format("--set {}: one value is needed, found {}", text, parsed.values.size()));
    }
    configuration.set(parsed.axis, parsed.values.front());
  }
  return configuration;
}

}  // namespace assay::cli
