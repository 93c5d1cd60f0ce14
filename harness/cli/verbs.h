// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line: one table. A verb is a file that defines its flags and what it does, and a row here.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string_view>

namespace assay::cli {

// What the chosen verb does once the command line has been read; gives the exit code.
using Action = std::function<int()>;

struct Verb {
  std::string_view name;
  std::string_view summary;
  // Adds the verb's flags to `command`, and sets `action` when the verb is the one chosen.
  void (*define)(CLI::App& command, Action& action);
};
std::span<const Verb> verbs();

void define_run(CLI::App& command, Action& action);
void define_list(CLI::App& command, Action& action);
void define_quantize(CLI::App& command, Action& action);
void define_infer(CLI::App& command, Action& action);
void define_report(CLI::App& command, Action& action);
void define_merge(CLI::App& command, Action& action);
void define_bench(CLI::App& command, Action& action);
void define_schema(CLI::App& command, Action& action);
void define_new(CLI::App& command, Action& action);
void define_explain(CLI::App& command, Action& action);
void define_doctor(CLI::App& command, Action& action);
void define_version(CLI::App& command, Action& action);
void define_help(CLI::App& command, Action& action);

// Help of the whole program, or of one verb; for `assay help`.
int print_help(const std::string& verb);

}  // namespace assay::cli
