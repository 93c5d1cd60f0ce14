// SPDX-License-Identifier: Apache-2.0
#include "harness/diff/model_diff.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/diff/node_diff.h"
#include "harness/diff/tensor_diff.h"

namespace assay::diff {
namespace {

std::string value_text(const ValueInfo& info) {
  std::string dims;
  for (const Dim& dim : info.dims) {
    dims += (dims.empty() ? "" : ", ") + (dim.known() ? std::to_string(dim.size) : dim.name.empty() ? "?" : dim.name);
  }
  return fmt::format("{} {}", dtype_name(info.dtype), info.has_shape ? "[" + dims + "]" : "of any shape");
}

void compare_ends(const char* what, const std::vector<ValueInfo>& before, const std::vector<ValueInfo>& after,
                  std::vector<std::string>& differences) {
  std::map<std::string, std::pair<std::string, std::string>> ends;
  for (const ValueInfo& info : before) {
    ends[info.name].first = value_text(info);
  }
  for (const ValueInfo& info : after) {
    ends[info.name].second = value_text(info);
  }
  for (const auto& [name, texts] : ends) {
    if (texts.first != texts.second) {
      differences.push_back(fmt::format("{} '{}': {} -> {}", what, name, texts.first.empty() ? "none" : texts.first,
                                        texts.second.empty() ? "none" : texts.second));
    }
  }
}

std::vector<std::string> compare_interfaces(const Graph& before, const Graph& after) {
  std::vector<std::string> differences;
  compare_ends("input", before.inputs, after.inputs, differences);
  compare_ends("output", before.outputs, after.outputs, differences);
  std::set<std::string> domains;
  for (const Graph* graph : {&before, &after}) {
    for (const auto& [domain, version] : graph->opsets) {
      domains.insert(domain);
    }
  }
  for (const std::string& domain : domains) {
    if (before.opset(domain) != after.opset(domain)) {
      differences.push_back(fmt::format("opset of {}: {} -> {}", domain.empty() ? "ai.onnx" : domain,
                                        before.opset(domain), after.opset(domain)));
    }
  }
  return differences;
}

// Constants that are tensors with parameters in the other model are compared there.
std::map<std::string, Tensor> plain_constants(const api::Inspection& own, const api::Inspection& other) {
  std::map<std::string, Tensor> constants = own.constants;
  for (const api::StatedParams& params : other.params) {
    constants.erase(params.tensor);
  }
  return constants;
}

}  // namespace

std::string_view change_name(Change change) {
  return change == Change::kAdded ? "added" : change == Change::kRemoved ? "removed" : "changed";
}

std::string_view arithmetic_name(api::NodeArithmetic arithmetic) {
  switch (arithmetic) {
    case api::NodeArithmetic::kIntegers:
      return "integers";
    case api::NodeArithmetic::kIntegerWeights:
      return "float, integer weights";
    case api::NodeArithmetic::kFloat:
      break;
  }
  return "float";
}

ModelDiff compare_models(const api::Model& before, const api::Model& after, const Tolerance& tolerance) {
  const api::Inspection a = api::inspect(before);
  const api::Inspection b = api::inspect(after);
  ModelDiff diff;
  diff.quantized_before = !a.params.empty();
  diff.quantized_after = !b.params.empty();
  diff.tensors = compare_tensors(a.params, b.params, tolerance, diff.tensors_compared);
  diff.constants = compare_constants(plain_constants(a, b), plain_constants(b, a), tolerance);
  diff.interface = compare_interfaces(before.graph(), after.graph());
  const bool float_first = !diff.quantized_before && diff.quantized_after;
  const bool float_second = diff.quantized_before && !diff.quantized_after;
  for (const auto& [i, j] : pair_nodes(a.nodes, b.nodes)) {
    const api::StatedNode* first = i == kNone ? nullptr : &a.nodes[i];
    const api::StatedNode* second = j == kNone ? nullptr : &b.nodes[j];
    diff.nodes_compared += first != nullptr && second != nullptr ? 1 : 0;
    std::optional<NodeDiff> found = compare_node(first, second);
    if ((float_first && first != nullptr) || (float_second && second != nullptr)) {
      const api::StatedNode* source = float_first ? first : second;
      const api::StatedNode* result = float_first ? second : first;
      NodeDiff became{.node = source->node.name, .op_before = source->node.op_type};
      if (result != nullptr) {
        became.op_after = result->node.op_type;
        became.arithmetic_after = result->arithmetic;
      }
      diff.became.push_back(std::move(became));
    }
    if (found) {
      diff.nodes.push_back(std::move(*found));
    }
  }
  return diff;
}

}  // namespace assay::diff
