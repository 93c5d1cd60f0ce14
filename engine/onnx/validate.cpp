// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/validate.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "engine/ir/subgraph.h"
#include "engine/onnx/constant_nodes.h"
#include "engine/onnx/schema.h"
#include "engine/onnx/versions.h"

namespace assay::onnx {
namespace {

std::string domain_text(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

std::string count_text(std::size_t min, std::size_t max, const std::string& noun) {
  if (max == kUnlimited) {
    return "at least " + std::to_string(min) + " " + noun;
  }
  return min == max ? std::to_string(min) + " " + noun
                    : std::to_string(min) + " to " + std::to_string(max) + " " + noun;
}

Status check_opset(const std::string& domain, Index version) {
  const Index newest = newest_opset(domain);
  const std::string text = domain_text(domain) + " opset " + std::to_string(version);
  if (version > newest) {
    return unsupported(text + " is newer than " + std::to_string(newest) + ", the newest this build knows");
  }
  const Index oldest = domain.empty() ? kOldestOpset : 1;
  if (version < 1) {
    return invalid_model(text + " is not a version");
  }
  if (version < oldest) {
    return unsupported(text + " is older than " + std::to_string(oldest) + ", the oldest this build knows");
  }
  return {};
}

// Only the domains that nodes use must be known: exporters import more.
Status check_domains(const Graph& graph) {
  if (graph.opsets.empty()) {
    return invalid_model("opset_import is missing");
  }
  const auto standard = graph.opsets.find("");
  if (standard != graph.opsets.end()) {
    ASSAY_TRY(check_opset("", standard->second));
  }
  for (const Node& node : graph.nodes) {
    const auto found = graph.opsets.find(node.domain);
    if (found == graph.opsets.end()) {
      return invalid_model(node_text(graph, node) + ": no opset_import for its domain " + domain_text(node.domain));
    }
    if (newest_opset(node.domain) == 0) {
      return unsupported(node_text(graph, node) + ": this build has no operators of domain " +
                         domain_text(node.domain));
    }
    ASSAY_TRY(check_opset(node.domain, found->second));
  }
  return {};
}

Status check_attributes(const Node& node, const OperatorSchema& schema, Index opset) {
  const auto exists = [&](const AttributeSchema& attribute) {
    return attribute.since <= opset && opset <= attribute.until;
  };
  for (const auto& [name, value] : node.attributes) {
    const auto found = std::find_if(schema.attributes.begin(), schema.attributes.end(),
                                    [&](const AttributeSchema& row) { return row.name == name && exists(row); });
    if (found == schema.attributes.end()) {
      return invalid_model("attribute '" + name + "' is not one of this operator");
    }
    if (attribute_kind(value) != found->kind) {
      return invalid_model("attribute '" + name + "' must have type " + std::string(attribute_kind_name(found->kind)) +
                           ", not " + std::string(attribute_kind_name(attribute_kind(value))));
    }
  }
  for (const AttributeSchema& row : schema.attributes) {
    if (row.required && exists(row) && !node.attributes.contains(std::string(row.name))) {
      return invalid_model("attribute '" + std::string(row.name) + "' is missing");
    }
  }
  return {};
}

Status check_operands(const Node& node, const OperatorSchema& schema) {
  const std::size_t inputs = node.own_inputs();
  if (inputs < schema.min_inputs || inputs > schema.max_inputs) {
    return invalid_model("needs " + count_text(schema.min_inputs, schema.max_inputs, "inputs") + ", but has " +
                         std::to_string(inputs));
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    const bool optional = i >= schema.min_inputs || (i < 32 && ((schema.optional_inputs >> i) & 1U) != 0);
    if (node.inputs[i].empty() && (!optional || schema.max_inputs == kUnlimited)) {
      return invalid_model("input " + std::to_string(i) + " may not be left out");
    }
  }
  const std::size_t outputs = node.outputs.size();
  if (outputs < schema.min_outputs || outputs > schema.max_outputs) {
    return invalid_model("needs " + count_text(schema.min_outputs, schema.max_outputs, "outputs") + ", but has " +
                         std::to_string(outputs));
  }
  for (std::size_t i = 0; i < schema.min_outputs; ++i) {
    if (node.outputs[i].empty()) {
      return invalid_model("output " + std::to_string(i) + " may not be left out");
    }
  }
  return {};
}

Status check_against(const Node& node, const OperatorSchema& schema, Index opset) {
  ASSAY_TRY(check_operands(node, schema));
  ASSAY_TRY(check_attributes(node, schema, opset));
  return schema.check == nullptr ? Status() : schema.check(node);
}

Status check_names(const std::vector<ValueInfo>& values, const std::string& kind, bool may_repeat) {
  std::unordered_set<std::string> seen;
  for (const ValueInfo& value : values) {
    if (value.name.empty()) {
      return invalid_model("a " + kind + " has no name");
    }
    if (!seen.insert(value.name).second && !may_repeat) {
      return invalid_model(kind + " '" + value.name + "' is given twice");
    }
  }
  return {};
}

// What a graph input of the same name says about an initializer must be true.
Status check_default(const ValueInfo& input, const Tensor& tensor) {
  const std::string text = "initializer '" + input.name + "' is " + std::string(dtype_name(tensor.dtype())) +
                           shape_text(tensor.shape()) + ", but the graph input of that name ";
  if (input.dtype != DType::kUndefined && input.dtype != tensor.dtype()) {
    return invalid_model(text + "is " + std::string(dtype_name(input.dtype)));
  }
  if (input.has_shape && input.dims.size() != tensor.rank()) {
    return invalid_model(text + "has rank " + std::to_string(input.dims.size()));
  }
  for (std::size_t i = 0; i < input.dims.size(); ++i) {
    if (input.dims[i].known() && input.dims[i].size != tensor.dim(i)) {
      return invalid_model(text + "has " + std::to_string(input.dims[i].size) + " in dimension " + std::to_string(i));
    }
  }
  return {};
}

// A subgraph's inputs may go without a type: what is fed decides.
Status check_values(Graph& graph, bool nested) {
  ASSAY_TRY(check_names(graph.inputs, "graph input", false));
  // A body's outputs stand for places: one value may be both carried on and collected.
  ASSAY_TRY(check_names(graph.outputs, "graph output", nested));
  if (graph.outputs.empty()) {
    return invalid_model("the graph has no outputs");
  }
  if (graph.initializers.contains("")) {
    return invalid_model("an initializer has no name");
  }
  for (const ValueInfo& input : graph.inputs) {
    const Tensor* tensor = graph.constant(input.name);
    if (tensor != nullptr) {
      ASSAY_TRY(check_default(input, *tensor));
    } else if (input.dtype == DType::kUndefined && !nested) {
      return invalid_model("graph input '" + input.name + "' has no type");
    }
  }
  std::erase_if(graph.inputs, [&](const ValueInfo& input) { return graph.constant(input.name) != nullptr; });
  return {};
}

void name_nodes(Graph& graph) {
  std::set<std::string> taken;
  for (const Node& node : graph.nodes) {
    taken.insert(node.name);
  }
  std::set<std::string> used;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    const bool given = !node.name.empty();
    const std::string base = given ? node.name : node.op_type + "_" + std::to_string(i);
    std::string name = base;
    // The first node of a given name keeps it; made-up names give way to given ones.
    for (int suffix = 1; used.contains(name) || (name != node.name && taken.contains(name)); ++suffix) {
      name = base + "_" + std::to_string(suffix);
    }
    used.insert(name);
    node.name = name;
  }
}

}  // namespace

Status check_ir_version(const Graph& graph) {
  if (graph.ir_version < kOldestIrVersion || graph.ir_version > kNewestIrVersion) {
    return unsupported("IR version " + std::to_string(graph.ir_version) + " is not between " +
                       std::to_string(kOldestIrVersion) + " and " + std::to_string(kNewestIrVersion) +
                       ", the versions this build knows");
  }
  return {};
}

Status validate_node(const Graph& graph, const Node& node) {
  const Index opset = graph.opset(node.domain);
  const OperatorSchema* schema = find_schema(node.domain, node.op_type, opset);
  if (schema == nullptr) {
    const std::string text =
        node_text(graph, node) + ": operator " + node.op_type + " of domain " + domain_text(node.domain);
    return knows_operator(node.domain, node.op_type)
               ? invalid_model(text + " does not exist in opset " + std::to_string(opset))
               : unsupported(text + " is not one this build has");
  }
  const Status status = check_against(node, *schema, opset);
  if (!status.ok()) {
    return Error{status.error().kind, node_text(graph, node) + ": " + status.error().message};
  }
  return {};
}

namespace {

Status validate(Graph& graph, bool nested);

Status validate_subgraphs(const Graph& graph, Node& node) {
  for (auto& [key, attribute] : node.attributes) {
    GraphPtr* subgraph = std::get_if<GraphPtr>(&attribute);
    if (subgraph == nullptr) {
      continue;
    }
    Graph checked = **subgraph;
    checked.opsets = graph.opsets;
    checked.ir_version = graph.ir_version;
    const Status status = validate(checked, true);
    if (!status.ok()) {
      return Error{status.error().kind, node_text(graph, node) + ", " + key + ": " + status.error().message};
    }
    *subgraph = std::make_shared<const Graph>(std::move(checked));
  }
  return {};
}

Status validate(Graph& graph, bool nested) {
  for (Node& node : graph.nodes) {
    if (node.domain == "ai.onnx") {
      node.domain.clear();
    }
  }
  name_nodes(graph);
  ASSAY_TRY(check_domains(graph));
  for (Node& node : graph.nodes) {
    ASSAY_TRY(validate_node(graph, node));
    ASSAY_TRY(validate_subgraphs(graph, node));
  }
  ASSAY_TRY(check_values(graph, nested));
  ASSAY_TRY(constant_nodes_to_initializers(graph));
  return topological_sort(graph);
}

}  // namespace

Status validate_graph(Graph& graph) {
  ASSAY_TRY(check_ir_version(graph));
  if (const auto named = graph.opsets.find("ai.onnx"); named != graph.opsets.end()) {
    graph.opsets.emplace("", named->second);
    graph.opsets.erase(named);
  }
  capture_outer_values(graph);
  return validate(graph, false);
}

}  // namespace assay::onnx
