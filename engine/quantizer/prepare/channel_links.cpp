// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/prepare/channel_links.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace assay::quantizer {
namespace {

constexpr std::array<std::string_view, 6> kCommuting = {"Relu",    "LeakyRelu",   "PRelu",
                                                        "MaxPool", "AveragePool", "GlobalAveragePool"};

bool is_weighted(const Node& node) {
  return node.domain.empty() && (node.op_type == "Conv" || node.op_type == "ConvTranspose" || node.op_type == "Gemm" ||
                                 node.op_type == "MatMul");
}

const Tensor* float_constant(const Graph& graph, const std::string& name) {
  const Tensor* tensor = graph.constant(name);
  return tensor != nullptr && tensor->dtype() == DType::kFloat32 && tensor->size() > 0 ? tensor : nullptr;
}

// The weight of a node that has one of a rank that it can have.
const Tensor* weight_of(const Graph& graph, const Node& node) {
  if (!is_weighted(node) || graph.constant(node.input(0)) != nullptr) {
    return nullptr;
  }
  const Tensor* weight = float_constant(graph, node.input(1));
  const bool is_matrix = node.op_type == "Gemm" || node.op_type == "MatMul";
  return weight != nullptr && (is_matrix ? weight->rank() == 2 : weight->rank() >= 3) ? weight : nullptr;
}

bool transposes_b(const Node& node) { return node.op_type == "Gemm" && node.int_attribute("transB", 0) != 0; }

Index trailing(const Tensor& tensor, std::size_t from) {
  Index product = 1;
  for (std::size_t i = from; i < tensor.rank(); ++i) {
    product *= tensor.dim(i);
  }
  return product;
}

// A vector of one value per channel, whatever dimensions of size 1 it has in front; or a single value.
bool is_per_channel(const Tensor& tensor, Index channels) {
  return tensor.size() == 1 ||
         (tensor.size() == channels && tensor.rank() > 0 && tensor.dim(tensor.rank() - 1) == channels);
}

class SourceFinder {
 public:
  SourceFinder(const Graph& graph, const GraphIndex& index) : graph_(graph), index_(index) {}

  std::optional<ChannelSource> find(std::string value, ChannelAxis axis) {
    while (true) {
      source_.values.push_back(value);
      const Index producer = index_.producer(value);
      if (producer < 0 || !may_pass(value)) {
        return std::nullopt;
      }
      const auto position = static_cast<std::size_t>(producer);
      const Node& node = graph_.nodes[position];
      if (!node.domain.empty() || node.captures > 0) {
        return std::nullopt;
      }
      if (commutes(node, axis)) {
        value = node.input(0);
      } else if (node.op_type == "Flatten" && node.int_attribute("axis", 1) == 1) {
        value = node.input(0);
        axis = ChannelAxis::kSecond;
      } else if (node.op_type == "Add" && axis == ChannelAxis::kLast && vector_operand(node)) {
        const std::size_t constant = *vector_operand(node);
        added_.push_back({position, constant});
        value = node.input(1 - constant);
      } else {
        return end_at(position, axis) ? std::optional(std::move(source_)) : std::nullopt;
      }
    }
  }

 private:
  bool may_pass(const std::string& value) const {
    return source_.values.size() == 1 || (index_.consumer_count(value) == 1 && !graph_.is_output(value));
  }

  bool commutes(const Node& node, ChannelAxis axis) const {
    if (std::find(kCommuting.begin(), kCommuting.end(), node.op_type) == kCommuting.end() || node.outputs.size() != 1) {
      return false;
    }
    if (node.op_type == "PRelu") {
      const Tensor* slope = float_constant(graph_, node.input(1));
      return slope != nullptr && slope->size() == 1;
    }
    return axis == ChannelAxis::kSecond || node.op_type.ends_with("Relu");
  }

  // The position of the constant operand of an Add or Mul along the last axis.
  std::optional<std::size_t> vector_operand(const Node& node) const {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const Tensor* constant = float_constant(graph_, node.input(i));
      const bool is_vector =
          constant != nullptr && constant->rank() > 0 && constant->size() == constant->dim(constant->rank() - 1);
      if (is_vector && graph_.constant(node.input(1 - i)) == nullptr) {
        return i;
      }
    }
    return std::nullopt;
  }

  bool end_at(std::size_t position, ChannelAxis axis) {
    const Node& node = graph_.nodes[position];
    if (is_weighted(node)) {
      return end_at_weight(position, axis);
    }
    const bool last = axis == ChannelAxis::kLast;
    if (last && node.op_type == "Mul" && vector_operand(node)) {
      const std::size_t constant = *vector_operand(node);
      return finish(graph_.constant(node.input(constant))->size(), position, {constant});
    }
    const bool layer = last && node.op_type == "LayerNormalization" && node.int_attribute("axis", -1) == -1;
    const bool instance = !last && node.op_type == "InstanceNormalization";
    const Tensor* scale = float_constant(graph_, node.input(1));
    if ((!layer && !instance) || node.outputs.size() != 1 || scale == nullptr || scale->rank() != 1) {
      return false;
    }
    const bool has_shift = !node.input(2).empty();
    return finish(scale->size(), position, has_shift ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{1});
  }

  bool end_at_weight(std::size_t position, ChannelAxis axis) {
    const Node& node = graph_.nodes[position];
    const Tensor* weight = weight_of(graph_, node);
    const bool is_conv = node.op_type.starts_with("Conv");
    if (weight == nullptr || (is_conv && axis != ChannelAxis::kSecond) ||
        (node.op_type == "MatMul" && axis != ChannelAxis::kLast) ||
        (node.op_type == "ConvTranspose" && node.int_attribute("group", 1) != 1)) {
      return false;
    }
    ChannelConstant at{.node = position, .input = 1};
    if (node.op_type == "Conv" || transposes_b(node)) {
      at.extent = weight->dim(0);
      at.inner = trailing(*weight, 1);
    } else {
      at.rows = weight->dim(0);
      at.extent = weight->dim(1);
      at.inner = trailing(*weight, 2);
    }
    source_.weight = at;
    source_.constants.push_back(at);
    const bool has_bias = node.op_type != "MatMul" && !node.input(2).empty();
    if (!finish(at.extent, position, has_bias ? std::vector<std::size_t>{2} : std::vector<std::size_t>{})) {
      return false;
    }
    if (has_bias || !added_.empty()) {
      source_.bias = source_.constants[1];
    }
    return true;
  }

  // Adds constants of the source node and those that were added behind it.
  bool finish(Index channels, std::size_t position, const std::vector<std::size_t>& inputs) {
    source_.channels = channels;
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (const std::size_t input : inputs) {
      all.emplace_back(position, input);
    }
    all.insert(all.end(), added_.begin(), added_.end());
    for (const auto& [node, input] : all) {
      const Tensor* constant = float_constant(graph_, graph_.nodes[node].input(input));
      if (constant == nullptr || !is_per_channel(*constant, channels)) {
        return false;
      }
      source_.constants.push_back({.node = node, .input = input, .extent = channels});
    }
    return true;
  }

  const Graph& graph_;
  const GraphIndex& index_;
  ChannelSource source_;
  std::vector<std::pair<std::size_t, std::size_t>> added_;  // node, input of constants added on the way
};

// Calls visit(channel, element) for every element.
template <typename Visit>
void for_each_element(const ChannelConstant& at, Visit visit) {
  std::size_t element = 0;
  for (Index group = 0; group < at.groups; ++group) {
    for (Index row = 0; row < at.rows; ++row) {
      for (Index e = 0; e < at.extent; ++e) {
        const auto channel = static_cast<std::size_t>((group * at.extent + e) / at.repeat);
        for (Index i = 0; i < at.inner; ++i) {
          visit(channel, element++);
        }
      }
    }
  }
}

std::size_t uses(const Graph& graph, const std::string& name) {
  std::size_t count = graph.is_output(name) ? 1 : 0;
  for (const Node& node : graph.nodes) {
    count += static_cast<std::size_t>(std::count(node.inputs.begin(), node.inputs.end(), name));
  }
  return count;
}

}  // namespace

std::optional<ChannelSource> channel_source(const Graph& graph, const GraphIndex& index, const std::string& value,
                                            ChannelAxis axis) {
  return SourceFinder(graph, index).find(value, axis);
}

std::optional<ChannelConstant> channel_weight(const Graph& graph, std::size_t position, Index channels) {
  const Index width = input_channels(graph, position);
  if (width == 0 || channels == 0 || width % channels != 0) {
    return std::nullopt;
  }
  const Node& node = graph.nodes[position];
  const Tensor& weight = *weight_of(graph, node);
  ChannelConstant at{.node = position, .input = 1, .repeat = width / channels};
  if (node.op_type == "Conv") {
    at.groups = node.int_attribute("group", 1);
    at.rows = weight.dim(0) / at.groups;
    at.extent = weight.dim(1);
    at.inner = trailing(weight, 2);
  } else if (transposes_b(node)) {
    at.rows = weight.dim(0);
    at.extent = weight.dim(1);
  } else {
    at.extent = weight.dim(0);
    at.inner = trailing(weight, 1);
  }
  return at;
}

Index input_channels(const Graph& graph, std::size_t position) {
  const Node& node = graph.nodes[position];
  const Tensor* weight = weight_of(graph, node);
  if (weight == nullptr || (node.op_type == "Gemm" && node.int_attribute("transA", 0) != 0)) {
    return 0;
  }
  if (node.op_type == "Conv") {
    const Index groups = node.int_attribute("group", 1);
    return groups > 0 && weight->dim(0) % groups == 0 ? weight->dim(1) * groups : 0;
  }
  return transposes_b(node) ? weight->dim(1) : weight->dim(0);
}

ChannelAxis input_axis(const Node& node) {
  return node.op_type.starts_with("Conv") ? ChannelAxis::kSecond : ChannelAxis::kLast;
}

std::vector<double> channel_magnitudes(const Graph& graph, const ChannelConstant& at, Index channels) {
  const Tensor& tensor = *graph.constant(graph.nodes[at.node].input(at.input));
  const auto values = tensor.data<float>();
  if (tensor.size() == 1) {
    return std::vector<double>(static_cast<std::size_t>(channels), std::fabs(static_cast<double>(values[0])));
  }
  std::vector<double> magnitudes(static_cast<std::size_t>(channels), 0.0);
  for_each_element(at, [&](std::size_t channel, std::size_t element) {
    magnitudes[channel] = std::max(magnitudes[channel], std::fabs(static_cast<double>(values[element])));
  });
  return magnitudes;
}

Status scale_channels(Graph& graph, const ChannelConstant& at, std::span<const double> factors) {
  Node& node = graph.nodes[at.node];
  const std::string name = node.input(at.input);
  const Tensor from = *graph.constant(name);
  const bool expands = from.size() == 1 && factors.size() > 1;
  const Shape shape = expands ? Shape{static_cast<Index>(factors.size())} : from.shape();
  ASSAY_ASSIGN(Tensor to, Tensor::allocate_uninitialized(DType::kFloat32, shape));
  const auto source = from.data<float>();
  const auto target = to.mutable_data<float>();
  if (from.size() == 1) {
    for (std::size_t c = 0; c < factors.size(); ++c) {
      target[c] = static_cast<float>(static_cast<double>(source[0]) * factors[c]);
    }
  } else {
    for_each_element(at, [&](std::size_t channel, std::size_t element) {
      target[element] = static_cast<float>(static_cast<double>(source[element]) * factors[channel]);
    });
  }
  if (uses(graph, name) > 1) {
    node.inputs[at.input] = fresh_name(graph, name);
  }
  graph.initializers[node.inputs[at.input]] = std::move(to);
  return {};
}

}  // namespace assay::quantizer
