// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/operator_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/api/model.h"

namespace assay::cli {
namespace {

constexpr std::string_view kHead =
    "# Operators\n\n"
    "Made by `assay explain --operators`; a test holds it against the program. Opsets are those of the domain in "
    "which\n"
    "assay knows the operator. Types are those of the standard where computing on them is more than moving bytes: "
    "float32\n"
    "always, float64 and integers where the operator's file in `engine/runtime/ops/` says so, float16 and bfloat16 "
    "through\n"
    "float32. Strings, sequences, maps, optionals, sparse tensors and types below 8 bits are refused by name, as is "
    "every\n"
    "operator that is not listed here.\n";

std::string domain_title(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

}  // namespace

std::string operator_table() {
  std::map<std::string, std::vector<api::OperatorInfo>> by_domain;
  for (const api::OperatorInfo& info : api::supported_operators()) {
    by_domain[info.domain].push_back(info);
  }
  std::string text(kHead);
  for (auto& [domain, operators] : by_domain) {
    std::ranges::sort(operators, {}, &api::OperatorInfo::op_type);
    text += fmt::format("\n## {} ({})\n\n| operator | opsets |\n|---|---|\n", domain_title(domain), operators.size());
    for (const api::OperatorInfo& info : operators) {
      const std::string opsets = info.first_opset == info.last_opset
                                     ? std::to_string(info.first_opset)
                                     : fmt::format("{}-{}", info.first_opset, info.last_opset);
      text += fmt::format("| `{}` | {} |\n", info.op_type, opsets);
    }
  }
  return text;
}

}  // namespace assay::cli
