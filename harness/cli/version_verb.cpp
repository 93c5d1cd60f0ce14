// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"

namespace assay::cli {

void define_version(CLI::App& command, Action& action) {
  command.callback([&action] { action = [] { return print_data(std::string("assay ") + ASSAY_VERSION + "\n"); }; });
}

void define_help(CLI::App& command, Action& action) {
  auto verb = std::make_shared<std::string>();
  command.add_option("VERB", *verb, "The verb to explain");
  command.callback([verb, &action] { action = [verb] { return print_help(*verb); }; });
}

}  // namespace assay::cli
