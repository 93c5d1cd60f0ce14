// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/prepare/bias_correction.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/quantizer/name_maker.h"
#include "engine/quantizer/prepare/channel_links.h"

namespace assay::quantizer {
namespace {

struct BiasPlace {
  std::size_t node = 0;  // position
  std::size_t input = 0;
};

std::optional<std::size_t> position_of(const Graph& graph, const std::string& node) {
  const auto found =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& other) { return other.name == node; });
  return found == graph.nodes.end() ? std::nullopt
                                    : std::optional(static_cast<std::size_t>(found - graph.nodes.begin()));
}

// The bias of a MatMul: the constant vector of the Add that alone uses its output.
std::optional<BiasPlace> added_bias(const Graph& graph, const GraphIndex& index, const Node& product) {
  const std::string& output = product.outputs[0];
  if (index.consumer_count(output) != 1 || graph.is_output(output)) {
    return std::nullopt;
  }
  const auto position = static_cast<std::size_t>(index.consumers(output)[0]);
  const Node& add = graph.nodes[position];
  if (add.op_type != "Add" || !add.domain.empty()) {
    return std::nullopt;
  }
  const std::size_t input = add.input(0) == output ? 1 : 0;
  return BiasPlace{position, input};
}

// What a Gemm's C is multiplied with.
double beta_of(const Node& node) {
  return node.op_type == "Gemm" ? static_cast<double>(node.float_attribute("beta", 1.0F)) : 1.0;
}

// Where a node's bias is, or goes; nothing where there is no place for a correction.
std::optional<BiasPlace> bias_place(const Graph& graph, const GraphIndex& index, std::size_t position) {
  const Node& node = graph.nodes[position];
  const auto place = node.op_type == "MatMul" ? added_bias(graph, index, node) : BiasPlace{position, 2};
  if (!place) {
    return std::nullopt;
  }
  const std::string& name = graph.nodes[place->node].input(place->input);
  if (name.empty() || beta_of(node) == 0) {
    return place;  // there is no bias, or one that adds nothing
  }
  const Tensor* bias = graph.constant(name);
  const bool is_vector = bias != nullptr && bias->dtype() == DType::kFloat32 &&
                         (bias->size() == 1 || (bias->rank() > 0 && bias->size() == bias->dim(bias->rank() - 1)));
  return is_vector ? place : std::nullopt;
}

// The float graph's nodes beside those of the quantized one.
class Twins {
 public:
  Twins(const Graph& graph, const Graph& quantized)
      : graph_(graph), quantized_(quantized), index_(graph), quantized_index_(quantized), names_(quantized) {
    result_.graph = quantized;
    for (const Node& node : quantized.nodes) {
      positions_[node.name] = &node;
    }
  }

  Result<BiasMeasurement> run(const Options& options) {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      const auto place = input_channels(graph_, i) > 0 ? bias_place(graph_, index_, i) : std::nullopt;
      const Node* integer = counterpart(node);
      if (!place || integer == nullptr || quantized_.constant(integer->input(1)) != nullptr ||
          options.overrides.contains(graph_.nodes[place->node].input(place->input))) {
        continue;  // no place for a correction, or a weight that stayed float
      }
      const Node& twin = add_twin(node, real_value(node.input(0), integer->input(0)));
      result_.probes.push_back({.node = node.name,
                                .quantized = integer->outputs[0],
                                .real = twin.outputs[0],
                                .last_axis = node.op_type == "MatMul"});
    }
    ASSAY_TRY(topological_sort(result_.graph));
    return std::move(result_);
  }

 private:
  const Node* counterpart(const Node& node) const {
    const auto found = positions_.find(node.name);
    return found != positions_.end() && found->second->op_type == node.op_type ? found->second : nullptr;
  }

  // `value` of the float graph as the quantized graph has it before its quantization. A clamp that was folded into a
  // quantization is computed beside it. `read`: what stands for the value in the quantized graph.
  std::string real_value(const std::string& value, const std::string& read) {
    const Index producer = index_.producer(value);
    if (producer < 0) {
      return value;
    }
    const Node& node = graph_.nodes[static_cast<std::size_t>(producer)];
    const bool was_split = node.op_type == "Softmax" && graph_.opset() < quantized_.opset();  // upgrade_opset.h
    if (const Node* same = counterpart(node); same != nullptr && !was_split) {
      const auto output = std::find(node.outputs.begin(), node.outputs.end(), value) - node.outputs.begin();
      return same->outputs[static_cast<std::size_t>(output)];
    }
    if (node.op_type == "Relu" || node.op_type == "Clip") {
      const auto [entry, is_new] = clamps_.try_emplace(value);
      if (is_new) {
        const std::string input = real_value(node.input(0), "");
        entry->second = input.empty() ? "" : add_twin(node, input).outputs[0];
      }
      return entry->second.empty() ? before_quantization(read) : entry->second;
    }
    return before_quantization(read);
  }

  // The value in front of QuantizeLinear and DequantizeLinear.
  std::string before_quantization(const std::string& value) const {
    const auto maker = [&](const std::string& name, const char* op_type) -> const Node* {
      const Index producer = quantized_index_.producer(name);
      const Node* node = producer < 0 ? nullptr : &quantized_.nodes[static_cast<std::size_t>(producer)];
      return node != nullptr && node->op_type == op_type ? node : nullptr;
    };
    const Node* dequantize = maker(value, "DequantizeLinear");
    const Node* quantize = dequantize == nullptr ? nullptr : maker(dequantize->input(0), "QuantizeLinear");
    return quantize == nullptr ? value : quantize->input(0);
  }

  const Node& add_twin(const Node& node, const std::string& input) {
    Node twin = node;
    twin.name = names_.make(node.name + "_float");
    twin.outputs = {names_.make(node.outputs[0] + "_float")};
    twin.inputs[0] = input;
    for (std::size_t k = 1; k < twin.inputs.size(); ++k) {
      const std::string& name = node.inputs[k];
      if (name.empty() || graph_.constant(name) == nullptr) {
        twin.inputs[k].clear();  // not constant: a Gemm's C that beta = 0 leaves out
        continue;
      }
      const auto [entry, is_new] = constants_.try_emplace(name);
      if (is_new) {
        entry->second = names_.make(name + "_float");
        result_.graph.initializers[entry->second] = *graph_.constant(name);
      }
      twin.inputs[k] = entry->second;
    }
    result_.graph.nodes.push_back(std::move(twin));
    return result_.graph.nodes.back();
  }

  const Graph& graph_;
  const Graph& quantized_;
  const GraphIndex index_;
  const GraphIndex quantized_index_;
  NameMaker names_;
  std::map<std::string, const Node*> positions_;
  std::map<std::string, std::string> constants_;  // of the float graph -> their names here
  std::map<std::string, std::string> clamps_;     // outputs of folded clamps -> those of their twins
  BiasMeasurement result_;
};

}  // namespace

Result<BiasMeasurement> measure_bias(const Graph& graph, const Graph& quantized, const Options& options) {
  return Twins(graph, quantized).run(options);
}

Status correct_bias(Graph& graph, const BiasProbe& probe, const std::vector<double>& error) {
  const auto position = position_of(graph, probe.node);
  const auto place = position ? bias_place(graph, GraphIndex(graph), *position) : std::nullopt;
  if (!place) {
    return internal_error("node '" + probe.node + "' has no place for a correction of its bias");
  }
  Node& product = graph.nodes[*position];
  Node& node = graph.nodes[place->node];
  node.inputs.resize(std::max(node.inputs.size(), place->input + 1));
  std::string& name = node.inputs[place->input];
  const double beta = beta_of(product);
  std::vector<double> old = {0.0};
  Shape shape = {static_cast<Index>(error.size())};
  if (!name.empty() && beta != 0) {
    const Tensor& bias = *graph.constant(name);
    old = bias.to_doubles();
    shape = old.size() == error.size() ? bias.shape() : shape;
  }
  if (old.size() != 1 && old.size() != error.size()) {
    return internal_error("node '" + probe.node + "': " + std::to_string(error.size()) + " errors for " +
                          std::to_string(old.size()) + " values of its bias");
  }
  std::vector<float> corrected(error.size());
  for (std::size_t c = 0; c < error.size(); ++c) {
    corrected[c] = static_cast<float>(beta * old[old.size() == 1 ? 0 : c] - error[c]);
  }
  product.attributes.erase("beta");
  // Others may use the old one.
  name = fresh_name(graph, (name.empty() ? product.name + "_bias" : name) + "_corrected");
  graph.initializers[name] = Tensor::from<float>(shape, corrected);
  remove_dead_nodes(graph);
  return {};
}

}  // namespace assay::quantizer
