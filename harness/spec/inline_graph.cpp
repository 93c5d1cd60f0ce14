// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/inline_graph.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/spec/data_source.h"
#include "harness/spec/inline_attribute.h"
#include "harness/spec/nearest.h"

namespace assay::spec {
namespace {

constexpr Index kDefaultOpset = 13;

std::string text_of(const Element& element) {
  return element.json().is_string() ? element.json().get<std::string>() : std::string();
}

// Larger versions are refused here, since Index could not show them.
Result<Index> version_of(const Element& element) {
  constexpr double kLargest = 0x1p53;
  if (element.json().get<double>() > kLargest) {
    return element.error(fmt::format("an opset is a version number of operators, found {}",
                                     element.document().number_text(element.pointer())));
  }
  return static_cast<Index>(element.json().get<double>());
}

std::vector<std::string> texts_of(const Element& element) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < element.size(); ++i) {
    texts.push_back(text_of(element.item(i)));
  }
  return texts;
}

// "ai.onnx" is another way to write the standard domain.
std::string domain_of(const std::string& name) { return name == "ai.onnx" ? std::string() : name; }

ValueInfo value_info(const std::string& name, const Element& element) {
  ValueInfo info;
  info.name = name;
  info.dtype = dtype_from_name(text_of(element.member("type"))).value_or(DType::kUndefined);
  const Element shape = element.member("shape");
  info.has_shape = shape.exists();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Json& dim = shape.item(i).json();
    Dim parsed;
    if (dim.is_number()) {
      // A size beyond Index becomes one that every allocation refuses.
      parsed.size = static_cast<Index>(std::min(dim.get<double>(), 1e15));
    } else if (dim.is_string()) {
      parsed.name = dim.get<std::string>();
    }
    info.dims.push_back(std::move(parsed));
  }
  return info;
}

Result<Tensor> initializer(const std::string& name, const Element& element, const std::string& case_name) {
  Target target;
  target.what = fmt::format("initializer '{}'", shortened(name));
  target.dtype = dtype_from_name(text_of(element.member("type"))).value_or(DType::kUndefined);
  target.seed_name = case_name + "/" + name;
  const Element shape = element.member("shape");
  if (shape.exists()) {
    target.has_shape = true;
    target.dims = value_info(name, element).dims;
  }
  const Element data = element.member("data");
  DataSource source{element};
  if (data.exists()) {
    source.element = data;
    if (!data.json().is_object() && !data.json().is_array()) {
      return data.error(
          fmt::format("{}: 'data' must be a list or a data source; a value for every element is "
                      "{{\"constant\": {}}}",
                      target.what, data.json().dump()));
    }
  }
  ASSAY_ASSIGN(SourceTensor made, make_tensor(source, target));
  return std::move(made.tensor);
}

Result<Node> node_of(const Element& element, std::size_t position) {
  Node node;
  node.op_type = text_of(element.member("op"));
  node.domain = domain_of(text_of(element.member("domain")));
  node.name = text_of(element.member("name"));
  if (node.name.empty()) {
    node.name = fmt::format("{}_{}", node.op_type, position);
  }
  node.inputs = texts_of(element.member("inputs"));
  node.outputs = texts_of(element.member("outputs"));
  const Element attributes = element.member("attributes");
  for (const std::string& key : attributes.keys()) {
    const std::string type = api::attribute_type(node.domain, node.op_type, key);
    ASSAY_ASSIGN(Attribute attribute, inline_attribute(attributes.member(key), key, type));
    node.attributes.emplace(key, std::move(attribute));
  }
  return node;
}

Status read_opsets(const Element& element, Graph& graph) {
  const Element opset = element.member("opset");
  graph.opsets[""] = kDefaultOpset;
  if (opset.exists()) {
    ASSAY_ASSIGN(graph.opsets[""], version_of(opset));
  }
  const Element opsets = element.member("opsets");
  for (const std::string& name : opsets.keys()) {
    const Element version = opsets.member(name);
    const std::string domain = domain_of(name);
    ASSAY_ASSIGN(const Index stated, version_of(version));
    if (domain.empty() && opset.exists() && graph.opsets[""] != stated) {
      return version.error(
          fmt::format("'opsets' says {} for the standard operators, 'opset' {}", stated, graph.opsets[""]));
    }
    graph.opsets[domain] = stated;
  }
  for (const Node& node : graph.nodes) {
    if (node.domain == kMicrosoftDomain) {
      graph.opsets.emplace(kMicrosoftDomain, 1);
    }
  }
  return {};
}

// The node that a message names, else the whole graph.
Element concerned(const Element& graph, const std::string& message, const std::vector<Node>& nodes) {
  const Element list = graph.member("nodes");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (message.find("'" + nodes[i].name + "'") != std::string::npos) {
      return list.item(i);
    }
  }
  return graph;
}

}  // namespace

Result<api::Model> model_of_inline_graph(const Element& element, const std::string& case_name) {
  Graph graph;
  const Element name = element.member("name");
  graph.name = name.exists() ? text_of(name) : case_name;
  const Element inputs = element.member("inputs");
  for (const std::string& key : inputs.keys()) {
    graph.inputs.push_back(value_info(key, inputs.member(key)));
  }
  const Element outputs = element.member("outputs");
  for (const std::string& key : outputs.keys()) {
    graph.outputs.push_back(value_info(key, outputs.member(key)));
  }
  const Element initializers = element.member("initializers");
  for (const std::string& key : initializers.keys()) {
    ASSAY_ASSIGN(Tensor tensor, initializer(key, initializers.member(key), case_name));
    graph.initializers.emplace(key, std::move(tensor));
  }
  const Element nodes = element.member("nodes");
  std::set<std::string> node_names;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ASSAY_ASSIGN(Node node, node_of(nodes.item(i), i));
    if (!node_names.insert(node.name).second) {
      return nodes.item(i).error(fmt::format("two nodes are named '{}'", shortened(node.name)));
    }
    graph.nodes.push_back(std::move(node));
  }
  ASSAY_TRY(read_opsets(element, graph));
  const std::vector<Node> written = graph.nodes;
  Result<api::Model> model = api::Model::from_graph(std::move(graph));
  if (!model.ok()) {
    const Error& error = model.error();
    return Error{error.kind, concerned(element, error.message, written).where() + ": " + error.message};
  }
  return model;
}

}  // namespace assay::spec
