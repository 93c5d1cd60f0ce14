// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/pass_table.h"

#include <fmt/format.h>

#include "engine/api/session.h"

namespace assay::cli {
namespace {

constexpr std::string_view kHead =
    "# Optimisation passes\n\n"
    "Made by `assay explain --passes`; a test holds it against the program. They run in this order, each from its "
    "level "
    "of\n"
    "`runtime.optimization` on (`all` has those of `extended`); `runtime.disable_passes` switches single ones off by "
    "name.\n"
    "What a pass says of numbers holds for finite values that the graph's types can hold; a step is the scale of the "
    "output's\n"
    "QuantizeLinear. `tests/engine/passes/pass_equality_test.cpp` holds every pass to it on 1,000 random graphs each, "
    "in "
    "the\n"
    "scalar and in the AVX2 profile, against `runtime.optimization=none, runtime.isa=scalar`.\n\n"
    "`assay infer` names for each node the passes that made it; `--save-optimized FILE` writes them into the nodes' "
    "doc_string.\n";

}  // namespace

std::string pass_table() {
  std::string text(kHead);
  std::string level;
  for (const api::PassInfo& pass : api::pass_infos()) {
    if (const std::string_view name = api::optimization_name(pass.first_level); name != level) {
      level = name;
      text += fmt::format("\n## {}\n\n| pass | what it does, and what it may change numerically |\n|---|---|\n", level);
    }
    text += fmt::format("| `{}` | {} |\n", pass.name, pass.description);
  }
  return text;
}

}  // namespace assay::cli
