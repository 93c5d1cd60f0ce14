// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/value_facts.h"

#include <algorithm>

#include "engine/passes/fact_rules.h"

namespace assay::passes {
namespace {

constexpr Index kMostElements = 64;  // of a tensor whose elements are followed

ValueFacts constant_facts(const Tensor& tensor) {
  ValueFacts facts;
  facts.dtype = tensor.dtype();
  facts.dims.emplace();
  for (const Index size : tensor.shape()) {
    facts.dims->push_back(known_dim(size));
  }
  const bool holds_sizes = tensor.dtype() == DType::kInt64 || tensor.dtype() == DType::kInt32;
  if (holds_sizes && tensor.rank() <= 1 && tensor.size() <= kMostElements) {
    facts.elements.emplace();
    for (const Index value : tensor.to_indices()) {
      facts.elements->push_back(known_dim(value));
    }
  }
  return facts;
}

// Negative elements are no open dimensions: a Dim of size -1 would be mistaken for one.
void forget_negative_elements(ValueFacts& facts) {
  if (facts.elements.has_value() &&
      std::any_of(facts.elements->begin(), facts.elements->end(), [](const Dim& dim) { return dim.size < -1; })) {
    facts.elements.reset();
  }
}

ValueFacts input_facts(const ValueInfo& info) {
  ValueFacts facts;
  facts.dtype = info.dtype;
  if (!info.has_shape) {
    return facts;
  }
  facts.dims = info.dims;
  for (std::size_t axis = 0; axis < facts.dims->size(); ++axis) {
    Dim& dim = (*facts.dims)[axis];
    if (!dim.known() && dim.name.empty()) {
      dim.name = info.name + "\n" + std::to_string(axis);  // a name that no file's dimension has by chance
    }
  }
  return facts;
}

const FactRule* find_rule(const Node& node) {
  const bool is_fused_conv = node.domain == kMicrosoftDomain && node.op_type == "FusedConv";
  if (!node.domain.empty() && !is_fused_conv) {
    return nullptr;
  }
  const std::string& op_type = is_fused_conv ? "Conv" : node.op_type;
  for (const auto& rules : {elementwise_fact_rules(), layer_fact_rules(), shape_fact_rules()}) {
    const auto found =
        std::find_if(rules.begin(), rules.end(), [&](const FactRule& rule) { return rule.op_type == op_type; });
    if (found != rules.end()) {
      return &*found;
    }
  }
  return nullptr;
}

}  // namespace

const ValueFacts& FactContext::input(std::size_t i) const {
  static const ValueFacts kNothing;
  return i < inputs.size() ? inputs[i] : kNothing;
}

std::optional<std::vector<Index>> FactContext::list(const char* attribute, std::size_t input) const {
  if (node.has_attribute(attribute)) {
    return node.ints_attribute(attribute);
  }
  const Tensor* tensor = constant(input);
  return tensor == nullptr ? std::nullopt : std::optional(tensor->to_indices());
}

std::optional<Index> ValueFacts::rank() const {
  return dims.has_value() ? std::optional(static_cast<Index>(dims->size())) : std::nullopt;
}

bool ValueFacts::all_dims_known() const {
  return dims.has_value() && std::all_of(dims->begin(), dims->end(), [](const Dim& dim) { return dim.known(); });
}

bool same_dim(const Dim& a, const Dim& b) {
  return a.known() ? a.size == b.size : !b.known() && !a.name.empty() && a.name == b.name;
}

bool same_dims(const ValueFacts& a, const ValueFacts& b) {
  return a.dims.has_value() && b.dims.has_value() &&
         std::equal(a.dims->begin(), a.dims->end(), b.dims->begin(), b.dims->end(), same_dim);
}

std::optional<std::vector<Index>> reshape_target(const std::vector<Dim>& dims) {
  const auto open = std::count_if(dims.begin(), dims.end(), [](const Dim& dim) { return !dim.known(); });
  const bool has_zero = std::any_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.size == 0; });
  if (open > 1 || has_zero) {  // a 0 would copy a dimension of the input
    return std::nullopt;
  }
  std::vector<Index> target;
  for (const Dim& dim : dims) {
    target.push_back(dim.known() ? dim.size : -1);
  }
  return target;
}

FactTable::FactTable(const Graph& graph, bool inputs_checked) {
  for (const ValueInfo& input : graph.inputs) {
    if (inputs_checked) {
      facts_.emplace(input.name, input_facts(input));
    }
  }
  for (const auto& [name, tensor] : graph.initializers) {
    ValueFacts facts = constant_facts(tensor);
    forget_negative_elements(facts);
    facts_.emplace(name, std::move(facts));
  }
  for (const Node& node : graph.nodes) {
    const FactRule* rule = find_rule(node);
    if (rule == nullptr) {
      continue;
    }
    FactContext context{.graph = graph, .node = node, .inputs = {}};
    for (const std::string& input : node.inputs) {
      context.inputs.push_back(of(input));
    }
    Facts outputs(node.outputs.size());
    rule->infer(context, outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!node.outputs[i].empty()) {
        forget_negative_elements(outputs[i]);
        facts_.emplace(node.outputs[i], std::move(outputs[i]));
      }
    }
  }
}

const ValueFacts& FactTable::of(const std::string& value) const {
  static const ValueFacts kNothing;
  const auto found = facts_.find(value);
  return found == facts_.end() ? kNothing : found->second;
}

}  // namespace assay::passes
