// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "harness/cli/file_targets.h"
#include "harness/cli/flags.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/rerun.h"
#include "harness/run/selection.h"
#include "harness/spec/expand.h"
#include "reports/exit_code.h"
#include "reports/printable.h"

namespace assay::cli {
namespace {

struct ListFlags {
  SelectFlags select;
  OutputFlags output;
};

spec::Json variant_json(const spec::Case& test_case, const spec::Variant& variant, const ListFlags& flags) {
  spec::Json json = spec::Json::object();
  json["case"] = test_case.name;
  json["case_file"] = test_case.path;
  json["name"] = variant.name;
  json["tags"] = test_case.tags;
  json["tier"] = spec::tier_name(test_case.tier);
  json["variant"] = spec::Json::object();
  for (const auto& [axis, value] : variant.matrix) {
    json["variant"][axis] = value;
  }
  json["configuration"] = spec::Json::object();
  for (const auto& [axis, value] : spec::effective_values(variant.configuration)) {
    json["configuration"][axis] = value;
  }
  json["rerun"] = run::rerun_line({.program = program_as_called(),
                                   .settings = flags.select.settings,
                                   .timeout_s = {},
                                   .onnx_tests = test_case.onnx_tests},
                                  test_case.path, variant.name);
  return json;
}

int list_action(const ListFlags& flags) {
  std::vector<std::string> read = flags.select.paths;
  read.push_back(flags.select.durations);
  if (const Status apart = check_json_apart(flags.output.json_file(), read); !apart.ok()) {
    return complain(apart.error());
  }
  Result<run::SelectOptions> select = flags.select.options();
  if (!select.ok()) {
    return complain(select.error());
  }
  select.value().keep_names = true;
  const run::Selection selection = run::select_variants(select.value());
  for (const std::string& error : selection.errors) {
    say(error);
  }
  if (!selection.errors.empty()) {
    return reports::kExitUsage;
  }
  for (const std::string& warning : selection.warnings) {
    say(warning);
  }
  std::string lines;
  spec::Json json = spec::Json::array();
  for (std::size_t i = 0; i < selection.variants.size(); ++i) {
    if (!selection.variants[i].selected) {
      continue;
    }
    lines += reports::one_line(selection.names[i]) + "\n";
    if (!flags.output.json.empty()) {
      json.push_back(variant_json(selection.case_of(i), *selection.variant(i), flags));
    }
  }
  const std::string text = json.dump(1, ' ', false, spec::Json::error_handler_t::replace) + "\n";
  // A shard may be left with nothing where there are more shards than variants.
  const bool nothing = lines.empty() && !(select.value().shard.count > 1 && selection.total > 0);
  int code = nothing ? complain(nothing_selected(selection.hint), reports::kExitNothingSelected) : reports::kExitPass;
  if (const int written = flags.output.write_json(text); written != 0) {
    code = written;
  }
  return print_data(flags.output.json_to_stdout() ? text : lines, code);
}

}  // namespace

void define_list(CLI::App& command, Action& action) {
  auto flags = std::make_shared<ListFlags>();
  flags->select.define(command);
  flags->output.define(command);
  command.callback([flags, &action] { action = [flags] { return list_action(*flags); }; });
}

}  // namespace assay::cli
