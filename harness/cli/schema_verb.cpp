// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/spec/case.h"
#include "reports/files.h"

namespace assay::cli {

void define_schema(CLI::App& command, Action& action) {
  auto which = std::make_shared<std::string>("case");
  command.add_option("NAME", *which, "case: of case files; results: of results.json")
      ->capture_default_str()
      ->check(CLI::IsMember({"case", "results"}));
  command.callback([which, &action] {
    action = [which] {
      std::string text(*which == "case" ? spec::case_schema_text() : reports::results_schema_text());
      if (!text.ends_with('\n')) {
        text += '\n';
      }
      return print_data(text);
    };
  });
}

}  // namespace assay::cli
