// SPDX-License-Identifier: Apache-2.0
// DequantizeLinear -> functions of single elements -> QuantizeLinear, all of one 8-bit tensor, becomes ByteLookup. The
// table is what the separate nodes compute for each of the 256 bytes, by the runtime's own operators.
#include <algorithm>
#include <array>

#include "engine/passes/all_passes.h"
#include "engine/passes/byte_table.h"
#include "engine/passes/qdq_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "fuse_qdq_lookup";
constexpr std::size_t kMostNodes = 16;

struct ElementwiseOp {
  const char* op_type;
  bool is_function;  // sums and products alone become integer operators
};
constexpr std::array kOps = {
    ElementwiseOp{"Tanh", true},      ElementwiseOp{"Erf", true},     ElementwiseOp{"Gelu", true},
    ElementwiseOp{"HardSwish", true}, ElementwiseOp{"Sigmoid", true}, ElementwiseOp{"LeakyRelu", true},
    ElementwiseOp{"Relu", true},      ElementwiseOp{"Clip", true},    ElementwiseOp{"Add", false},
    ElementwiseOp{"Sub", true},       ElementwiseOp{"Mul", false},    ElementwiseOp{"Div", true},
};

const ElementwiseOp* find_op(const Node& node) {
  const bool known_domain = node.domain.empty() || (node.domain == kMicrosoftDomain && node.op_type == "Gelu");
  const auto* const found =
      std::find_if(kOps.begin(), kOps.end(), [&](const ElementwiseOp& op) { return node.op_type == op.op_type; });
  return known_domain && found != kOps.end() ? found : nullptr;
}

// The nodes between one dequantized value and a QuantizeLinear.
struct Group {
  std::vector<std::size_t> nodes;  // positions
  std::string source;              // the value that DequantizeLinear makes
  bool has_function = false;
};

// Adds the maker of `value` and what it is made of. False where the group is not a function of one dequantized value.
bool collect(const Graph& graph, const ValueIndex& index, const std::string& value, Group& group) {
  if (const Tensor* constant = graph.constant(value); constant != nullptr) {
    return constant->rank() == 0;  // which changes no shape
  }
  if (value == group.source || match_activation(graph, index, value).has_value()) {
    const bool same = group.source.empty() || value == group.source;
    group.source = value;
    return same;
  }
  const Index maker = index.producer(value);
  if (maker < 0 || graph.is_output(value)) {
    return false;
  }
  const auto position = static_cast<std::size_t>(maker);
  if (std::find(group.nodes.begin(), group.nodes.end(), position) != group.nodes.end()) {
    return true;
  }
  const Node& node = graph.nodes[position];
  const ElementwiseOp* op = find_op(node);
  if (op == nullptr || group.nodes.size() == kMostNodes) {
    return false;
  }
  group.nodes.push_back(position);
  group.has_function = group.has_function || op->is_function;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](const std::string& input) { return input.empty() || collect(graph, index, input, group); });
}

// No value of the group is read outside it.
bool is_closed(const Graph& graph, const ValueIndex& index, const Group& group, std::size_t quantize) {
  return std::all_of(group.nodes.begin(), group.nodes.end(), [&](std::size_t position) {
    const std::vector<Index>& readers = index.consumers(graph.nodes[position].outputs[0]);
    return std::all_of(readers.begin(), readers.end(), [&](Index reader) {
      const auto at = static_cast<std::size_t>(reader);
      return at == quantize || std::find(group.nodes.begin(), group.nodes.end(), at) != group.nodes.end();
    });
  });
}

Result<Tensor> make_table(const Graph& graph, const Evaluator& evaluate, const Quantization& x,
                          const std::vector<std::size_t>& nodes) {
  ByteTable table({.graph = graph, .evaluate = evaluate, .source = x.integers, .dtype = x.dtype});
  for (const std::size_t position : nodes) {
    ASSAY_TRY(table.add(graph.nodes[position]));
  }
  return table.at(graph.nodes[nodes.back()].outputs[0]);
}

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i, const Evaluator& evaluate) {
  const auto y = match_quantize(graph, i);
  if (!y.has_value() || !y->per_tensor() || !is_8bit(y->dtype)) {
    return false;
  }
  Group group;
  if (!collect(graph, index, y->reals, group) || !group.has_function || group.source.empty() ||
      !is_closed(graph, index, group, i)) {
    return false;
  }
  const auto x = match_activation(graph, index, group.source);
  if (!x.has_value()) {
    return false;
  }
  std::vector<std::size_t> order = group.nodes;
  std::sort(order.begin(), order.end());  // the graph is sorted
  order.insert(order.begin(), x->node);
  order.push_back(i);
  const auto table = make_table(graph, evaluate, *x, order);
  if (!table.ok()) {
    return false;  // what cannot be computed now fails again, with its node's name, when the model runs
  }
  Node fused = make_byte_lookup(graph, {.name = graph.nodes[group.nodes.front()].name,
                                        .origin = kName,
                                        .source = x->integers,
                                        .output = y->integers,
                                        .table = table.value()});
  graph.nodes[i] = std::move(fused);
  erase_nodes(graph, group.nodes);
  return true;
}

}  // namespace

Result<Index> fuse_qdq_lookup(Graph& graph, const PassContext& context) {
  if (!context.evaluate) {
    return Index{0};
  }
  return rewrite_until_stable(
      graph, [&](Graph& g, const ValueIndex& index, std::size_t i) { return fuse_at(g, index, i, context.evaluate); });
}

}  // namespace assay::passes
