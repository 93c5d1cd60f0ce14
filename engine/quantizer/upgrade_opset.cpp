// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/upgrade_opset.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/quantizer/name_maker.h"

namespace assay::quantizer {
namespace {

constexpr Index kTargetOpset = 13;

// Same form and meaning from opset 7 to 13.
constexpr std::array<std::string_view, 16> kUnchanged = {
    "Add",       "AveragePool", "Concat",  "Conv", "Flatten", "Gemm",    "GlobalAveragePool", "Identity",
    "LeakyRelu", "MatMul",      "MaxPool", "Mul",  "Relu",    "Reshape", "Sigmoid",           "Transpose"};

class Upgrader {
 public:
  Upgrader(Graph& graph, RangeTable& observed)
      : graph_(graph), observed_(observed), names_(graph), from_(graph.opset()) {}

  Status run() {
    std::vector<Node> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (Node& node : nodes) {
      ASSAY_TRY(upgrade(node));
      graph_.nodes.push_back(std::move(node));
      graph_.nodes.insert(graph_.nodes.end(), after_.begin(), after_.end());
      after_.clear();
    }
    graph_.opsets[""] = kTargetOpset;
    return {};
  }

 private:
  Status upgrade(Node& node) {
    const std::string& op = node.op_type;
    if (!node.domain.empty() || std::find(kUnchanged.begin(), kUnchanged.end(), op) != kUnchanged.end()) {
      return {};
    }
    if (op == "Squeeze" || op == "Unsqueeze") {
      attribute_to_input(node, "axes", 1);
      return {};
    }
    if (op == "Clip") {
      float_attribute_to_input(node, "min", 1);
      float_attribute_to_input(node, "max", 2);
      return {};
    }
    if (op == "Pad") {
      attribute_to_input(node, "pads", 1);
      float_attribute_to_input(node, "value", 2);
      return {};
    }
    if (op == "BatchNormalization") {
      return upgrade_batch_normalization(node);
    }
    if (op == "Softmax") {
      return upgrade_softmax(node);
    }
    return refuse(node, "its form may have changed");
  }

  Error refuse(const Node& node, const std::string& why) const {
    return unsupported(node_text(graph_, node) + ": cannot be lifted to opset " + std::to_string(kTargetOpset) + ": " +
                       why + "; export the model with opset " + std::to_string(kTargetOpset) + " or later");
  }

  void attribute_to_input(Node& node, const std::string& key, std::size_t position) {
    if (node.has_attribute(key)) {
      const std::vector<Index> values = node.ints_attribute(key);
      set_input(node, position, key, Tensor::from<Index>({static_cast<Index>(values.size())}, values));
      node.attributes.erase(key);
    }
  }
  void float_attribute_to_input(Node& node, const std::string& key, std::size_t position) {
    if (node.has_attribute(key)) {
      set_input(node, position, key, Tensor::scalar<float>(node.float_attribute(key, 0.0F)));
      node.attributes.erase(key);
    }
  }
  void set_input(Node& node, std::size_t position, const std::string& key, Tensor value) {
    node.inputs.resize(std::max(node.inputs.size(), position + 1));
    node.inputs[position] = names_.make(node.name + "_" + key);
    graph_.initializers[node.inputs[position]] = std::move(value);
  }

  Status upgrade_batch_normalization(Node& node) const {
    if (from_ < 9 && node.int_attribute("spatial", 1) == 0) {
      return refuse(node, "spatial=0 is gone");
    }
    node.attributes.erase("spatial");
    return {};
  }

  const ValueInfo* info_of(const std::string& value) const {
    const auto named = [&](const ValueInfo& info) { return info.name == value; };
    for (const std::vector<ValueInfo>* infos : {&graph_.inputs, &graph_.outputs}) {
      const auto found = std::find_if(infos->begin(), infos->end(), named);
      if (found != infos->end() && found->has_shape) {
        return &*found;
      }
    }
    const auto found = graph_.value_infos.find(value);
    return found == graph_.value_infos.end() || !found->second.has_shape ? nullptr : &found->second;
  }

  Index rank_of(const Node& node) const {
    for (const std::string& value : {node.input(0), node.outputs[0]}) {
      if (const ValueInfo* info = info_of(value); info != nullptr) {
        return static_cast<Index>(info->dims.size());
      }
      if (const auto seen = observed_.find(value); seen != observed_.end() && seen->second.rank >= 0) {
        return seen->second.rank;
      }
    }
    return -1;
  }

  // Before opset 13 Softmax flattens the axes from `axis` on and works over all of them.
  Status upgrade_softmax(Node& node) {
    const Index axis = node.int_attribute("axis", 1);
    const Index rank = rank_of(node);
    if (rank < 0 && axis != -1) {
      return refuse(node, "the rank of '" + node.input(0) + "' is not known");
    }
    if (axis == -1 || axis == rank - 1) {
      node.attributes["axis"] = Index{-1};
      return {};
    }
    ASSAY_ASSIGN(const Tensor shape, reshape_target(node));
    Node flatten;
    flatten.name = names_.make(node.name + "_flatten");
    flatten.op_type = "Flatten";
    flatten.inputs = {node.input(0)};
    flatten.outputs = {names_.make(node.name + "_flattened")};
    flatten.attributes["axis"] = axis;
    if (const auto seen = observed_.find(node.input(0)); seen != observed_.end()) {
      observed_[flatten.outputs[0]] = seen->second;
    }
    Node reshape;
    reshape.name = names_.make(node.name + "_reshape");
    reshape.op_type = "Reshape";
    reshape.inputs = {names_.make(node.name + "_rows"), names_.make(node.name + "_shape")};
    reshape.outputs = {node.outputs[0]};
    graph_.initializers[reshape.inputs[1]] = shape;
    node.inputs = {flatten.outputs[0]};
    node.outputs = {reshape.inputs[0]};
    node.attributes["axis"] = Index{-1};
    graph_.nodes.push_back(std::move(flatten));
    after_.push_back(std::move(reshape));
    return {};
  }

  // The shape of a Softmax's operand for Reshape: one unknown dimension is -1.
  Result<Tensor> reshape_target(const Node& node) const {
    for (const std::string& value : {node.input(0), node.outputs[0]}) {
      const ValueInfo* info = info_of(value);
      if (info == nullptr) {
        continue;
      }
      std::vector<Index> sizes;
      for (const Dim& dim : info->dims) {
        sizes.push_back(dim.known() ? dim.size : -1);
      }
      if (std::count(sizes.begin(), sizes.end(), -1) <= 1 && std::count(sizes.begin(), sizes.end(), 0) == 0) {
        return Tensor::from<Index>({static_cast<Index>(sizes.size())}, sizes);
      }
    }
    return refuse(node, "it works over several axes and the file does not state the shape of '" + node.input(0) + "'");
  }

  Graph& graph_;
  RangeTable& observed_;
  NameMaker names_;
  Index from_;
  std::vector<Node> after_;  // nodes that go behind the one being lifted
};

}  // namespace

Status upgrade_opset(Graph& graph, RangeTable& observed) {
  if (graph.opset() >= kTargetOpset) {
    return {};
  }
  return Upgrader(graph, observed).run();
}

}  // namespace assay::quantizer
