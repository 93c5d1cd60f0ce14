// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/upgrade_opset.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/quantizer/name_maker.h"
#include "engine/quantizer/value_types.h"
#include "engine/quantizer/weights.h"

namespace assay::quantizer {
namespace {

constexpr Index kTargetOpset = 13;

// Operators whose form and meaning at opset 13 are those of `since` and later.
struct UnchangedRow {
  std::string_view op_type;
  Index since;
};
constexpr std::array kUnchanged = {
    UnchangedRow{"Abs", 7},
    UnchangedRow{"Add", 7},
    UnchangedRow{"And", 7},
    UnchangedRow{"ArgMax", 7},
    UnchangedRow{"ArgMin", 7},
    UnchangedRow{"AveragePool", 7},
    UnchangedRow{"Cast", 7},
    UnchangedRow{"Ceil", 7},
    UnchangedRow{"Celu", 12},
    UnchangedRow{"Concat", 7},
    UnchangedRow{"ConstantOfShape", 9},
    UnchangedRow{"Conv", 7},
    UnchangedRow{"ConvTranspose", 7},
    UnchangedRow{"Cos", 7},
    UnchangedRow{"CumSum", 11},
    UnchangedRow{"DepthToSpace", 7},
    UnchangedRow{"Div", 7},
    UnchangedRow{"Einsum", 12},
    UnchangedRow{"Elu", 7},
    UnchangedRow{"Equal", 7},
    UnchangedRow{"Erf", 9},
    UnchangedRow{"Exp", 7},
    UnchangedRow{"Expand", 8},
    UnchangedRow{"Flatten", 7},
    UnchangedRow{"Floor", 7},
    UnchangedRow{"GRU", 7},
    UnchangedRow{"Gather", 7},
    UnchangedRow{"GatherElements", 11},
    UnchangedRow{"GatherND", 11},
    UnchangedRow{"Gemm", 7},
    UnchangedRow{"GlobalAveragePool", 7},
    UnchangedRow{"GlobalMaxPool", 7},
    UnchangedRow{"Greater", 7},
    UnchangedRow{"GreaterOrEqual", 12},
    UnchangedRow{"HardSigmoid", 7},
    UnchangedRow{"Identity", 7},
    UnchangedRow{"If", 7},
    UnchangedRow{"InstanceNormalization", 7},
    UnchangedRow{"LRN", 7},
    UnchangedRow{"LSTM", 7},
    UnchangedRow{"LeakyRelu", 7},
    UnchangedRow{"Less", 7},
    UnchangedRow{"LessOrEqual", 12},
    UnchangedRow{"Log", 7},
    UnchangedRow{"Loop", 11},
    UnchangedRow{"MatMul", 7},
    UnchangedRow{"Max", 8},
    UnchangedRow{"MaxPool", 7},
    UnchangedRow{"Mean", 8},
    UnchangedRow{"Min", 8},
    UnchangedRow{"Mod", 10},
    UnchangedRow{"Mul", 7},
    UnchangedRow{"Neg", 7},
    UnchangedRow{"NonMaxSuppression", 10},
    UnchangedRow{"NonZero", 9},
    UnchangedRow{"Not", 7},
    UnchangedRow{"OneHot", 9},
    UnchangedRow{"Or", 7},
    UnchangedRow{"PRelu", 7},
    UnchangedRow{"Pow", 7},
    UnchangedRow{"RNN", 7},
    UnchangedRow{"Range", 11},
    UnchangedRow{"Reciprocal", 7},
    UnchangedRow{"ReduceL1", 7},
    UnchangedRow{"ReduceL2", 7},
    UnchangedRow{"ReduceLogSum", 7},
    UnchangedRow{"ReduceLogSumExp", 7},
    UnchangedRow{"ReduceMax", 7},
    UnchangedRow{"ReduceMean", 7},
    UnchangedRow{"ReduceMin", 7},
    UnchangedRow{"ReduceProd", 7},
    UnchangedRow{"ReduceSumSquare", 7},
    UnchangedRow{"Relu", 7},
    UnchangedRow{"Reshape", 7},
    UnchangedRow{"Resize", 11},
    UnchangedRow{"Round", 11},
    UnchangedRow{"Scan", 9},
    UnchangedRow{"ScatterElements", 11},
    UnchangedRow{"ScatterND", 11},
    UnchangedRow{"Selu", 7},
    UnchangedRow{"Shape", 7},
    UnchangedRow{"Sigmoid", 7},
    UnchangedRow{"Sign", 9},
    UnchangedRow{"Sin", 7},
    UnchangedRow{"Size", 7},
    UnchangedRow{"Slice", 10},
    UnchangedRow{"Softplus", 7},
    UnchangedRow{"Softsign", 7},
    UnchangedRow{"SpaceToDepth", 7},
    UnchangedRow{"Sqrt", 7},
    UnchangedRow{"Sub", 7},
    UnchangedRow{"Sum", 8},
    UnchangedRow{"Tanh", 7},
    UnchangedRow{"Tile", 7},
    UnchangedRow{"TopK", 10},
    UnchangedRow{"Transpose", 7},
    UnchangedRow{"Where", 9},
    UnchangedRow{"Xor", 7},
};

bool is_unchanged(const std::string& op_type, Index from) {
  return std::any_of(kUnchanged.begin(), kUnchanged.end(),
                     [&](const UnchangedRow& row) { return row.op_type == op_type && from >= row.since; });
}

class Upgrader {
 public:
  Upgrader(Graph& graph, RangeTable& observed)
      : graph_(graph), observed_(observed), types_(value_types(graph)), names_(graph), from_(graph.opset()) {}

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
    if (!node.domain.empty() || is_unchanged(op, from_)) {
      return {};
    }
    if (op == "Squeeze" || op == "Unsqueeze" || op == "ReduceSum") {
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
    if (op == "Split") {
      attribute_to_input(node, "split", 1);
      return {};
    }
    if (op == "Slice") {
      attribute_to_input(node, "starts", 1);
      attribute_to_input(node, "ends", 2);
      attribute_to_input(node, "axes", 3);
      return {};
    }
    if (op == "TopK" && node.has_attribute("k")) {
      set_input(node, 1, "k", Tensor::from<Index>({1}, {node.int_attribute("k", 0)}));
      node.attributes.erase("k");
      return {};
    }
    if (op == "Dropout") {  // passes its input on
      node.attributes.erase("ratio");
      return {};
    }
    if (op == "Upsample" || op == "Resize") {
      return upgrade_resize(node);
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
      const auto type = types_.find(node.input(0));
      const bool half = type != types_.end() && type->second == DType::kFloat16;
      set_input(node, position, key,
                scale_scalar({.scale = node.float_attribute(key, 0.0F),
                              .scale_type = half ? DType::kFloat16 : DType::kFloat32}));
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

  // Upsample, and Resize of opset 10: Resize-13 with the source position out / scale, rounded down where it takes the
  // nearest element.
  Status upgrade_resize(Node& node) {
    const std::string mode = node.string_attribute("mode", "nearest");
    if (mode != "nearest" && mode != "linear" && mode != "bilinear") {
      return refuse(node, "its mode is '" + mode + "'");
    }
    if (const auto scales = node.attributes.find("scales"); scales != node.attributes.end()) {
      if (!std::holds_alternative<std::vector<float>>(scales->second)) {
        return refuse(node, "its scales are no list of numbers");
      }
      const std::vector<float> values = std::get<std::vector<float>>(scales->second);
      node.attributes.erase(scales);
      set_input(node, 1, "scales", Tensor::from<float>({static_cast<Index>(values.size())}, values));
    }
    if (node.input(1).empty()) {
      return refuse(node, "it has no scales");
    }
    node.op_type = "Resize";
    node.inputs = {node.input(0), "", node.input(1)};
    node.attributes["mode"] = std::string(mode == "nearest" ? "nearest" : "linear");
    node.attributes["coordinate_transformation_mode"] = std::string("asymmetric");
    if (mode == "nearest") {
      node.attributes["nearest_mode"] = std::string("floor");
    }
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
  const ValueTypes types_;
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
