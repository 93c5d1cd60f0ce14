// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/command_line.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/compare_verb.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/spec/nearest.h"
#include "reports/exit_code.h"

namespace assay::cli {
namespace {

// A program with every verb; `action` is set when one of them is parsed.
void define_program(CLI::App& app, Action& action) {
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("assay ") + ASSAY_VERSION);
  app.footer(
      "Exit: 0 pass, 1 a check failed, 2 usage or case file, 3 no verdict, 4 harness or environment, 5 nothing "
      "selected, 130 interrupted.");
  for (const Verb& verb : verbs()) {
    CLI::App* command = app.add_subcommand(std::string(verb.name), std::string(verb.summary));
    verb.define(*command, action);
  }
}

// The names of the verbs.
std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) {
    names.emplace_back(verb.name);
  }
  return names;
}

bool is_verb(std::string_view word) { return std::ranges::find(verbs(), word, &Verb::name) != verbs().end(); }

int complain_of_verb(const std::string& word) {
  return complain("unknown verb '" + spec::shortened(word) + "'; nearest known verb is '" +
                      spec::nearest(word, verb_names()) + "'; `assay help` lists them",
                  reports::kExitUsage);
}

constexpr const char* kDescription = "assay: accuracy and performance regression tests for int8 ONNX inference";

}  // namespace

std::span<const Verb> verbs() {
  static constexpr std::array<Verb, 14> kVerbs{{
      {"run", "Run cases and report", define_run},
      {"list", "List the variants of cases without running them", define_list},
      {"quantize", "Quantize a float model, or convert a quantized one from int8 to uint8", define_quantize},
      {"infer", "Run a model on .npy files", define_infer},
      {"compare", "Compare the quantization of two models, or two files of ranges", define_compare},
      {"report", "Render a run's report again", define_report},
      {"merge", "Join the output folders of a run's shards", define_merge},
      {"bench", "Time kernels, operators and networks through Google Benchmark", define_bench},
      {"schema", "Print a JSON Schema", define_schema},
      {"new", "Make a case from a model, with tolerances as measured", define_new},
      {"explain", "Explain an outcome, cause, metric, axis or pass", define_explain},
      {"doctor", "Show what this machine and build have", define_doctor},
      {"version", "Print the version", define_version},
      {"help", "Print help", define_help},
  }};
  return kVerbs;
}

int print_help(const std::string& verb) {
  CLI::App app{kDescription, "assay"};
  Action action;
  define_program(app, action);
  if (verb.empty()) {
    return print_data(app.help() + "\n");
  }
  if (!is_verb(verb)) {
    return complain_of_verb(verb);
  }
  return print_data(app.get_subcommand(verb)->help("assay") + "\n");
}

int run_command_line(int argc, char** argv) {
  if (argc > 1 && argv[1][0] != '\0' && argv[1][0] != '-' && !is_verb(argv[1])) {
    return complain_of_verb(argv[1]);
  }
  CLI::App app{kDescription, "assay"};
  Action action;
  define_program(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return print_help(chosen.empty() ? "" : chosen.front()->get_name());
  } catch (const CLI::CallForVersion& version) {
    return print_data(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    return complain(std::string(error.what()) + "; `assay help` shows the usage", reports::kExitUsage);
  }
  return action();
}

}  // namespace assay::cli
