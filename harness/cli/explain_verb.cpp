// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "harness/cli/explain.h"
#include "harness/cli/operator_table.h"
#include "harness/cli/pass_table.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/spec/nearest.h"
#include "reports/exit_code.h"
#include "reports/text_table.h"

namespace assay::cli {
namespace {

// Every term in a line each.
int list_terms() {
  reports::TextTable table;
  table.columns = {
      {"kind", reports::Align::kLeft}, {"term", reports::Align::kLeft}, {"meaning", reports::Align::kLeft}};
  for (const Term& term : terms()) {
    table.rows.push_back({term.kind, term.name, term.text});
  }
  return print_data(reports::render_plain(reports::with_wrapped_last_column(table, line_width())));
}

// `relu` finds the axis quantizer.relu too.
bool is_called(const Term& term, const std::string& word) {
  return term.name == word || (term.kind == "axis" && term.name.ends_with("." + word));
}

int explain_action(const std::string& word) {
  if (word.empty()) {
    return list_terms();
  }
  std::string text;
  std::vector<std::string> names;
  for (const Term& term : terms()) {
    names.push_back(term.name);
    if (is_called(term, word)) {
      const std::vector<std::string> lines = reports::wrapped_lines(term.text, line_width() - 2);
      text += fmt::format("{} ({})\n  {}\n", term.name, term.kind, fmt::join(lines, "\n  "));
    }
  }
  if (text.empty()) {
    return complain(fmt::format("nothing is called '{}'; nearest known term is '{}'", word, spec::nearest(word, names)),
                    reports::kExitUsage);
  }
  return print_data(text);
}

}  // namespace

void define_explain(CLI::App& command, Action& action) {
  auto word = std::make_shared<std::string>();
  auto operators = std::make_shared<bool>(false);
  auto passes = std::make_shared<bool>(false);
  command.add_flag("--operators", *operators,
                   "The operators that run, with their opsets, as docs/operators.md has them");
  command
      .add_flag("--passes", *passes,
                "The optimisation passes in the order in which they run, as docs/passes.md has them")
      ->excludes("--operators");
  command.add_option("TERM", *word, "An outcome, cause, metric, axis or pass; all of them if left out");
  command.callback([word, operators, passes, &action] {
    action = [word, operators, passes] {
      return *operators ? print_data(operator_table()) : *passes ? print_data(pass_table()) : explain_action(*word);
    };
  });
}

}  // namespace assay::cli
