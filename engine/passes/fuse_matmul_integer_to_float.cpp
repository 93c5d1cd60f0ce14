// SPDX-License-Identifier: Apache-2.0
// MatMulInteger -> Cast to float32 -> Mul by a scale [-> Add a row], as dynamic quantization writes it, becomes
// MatMulIntegerToFloat: f32(acc) * f32(a_scale * b_scale) + bias, the same arithmetic in the same order. The scale is
// a product of A's (one element) and B's (one element or one per column), or one element in all.
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "fuse_matmul_integer_to_float";

// The only reader of a value, if it is this operator of two operands or one; its position.
std::optional<std::size_t> only_reader(const Graph& graph, const ValueIndex& index, const std::string& value,
                                       const char* op_type) {
  if (!is_used_once(graph, index, value)) {
    return std::nullopt;
  }
  const auto position = static_cast<std::size_t>(index.consumers(value).front());
  const Node& node = graph.nodes[position];
  return node.domain.empty() && node.op_type == op_type ? std::optional(position) : std::nullopt;
}

const std::string& other_operand(const Node& node, const std::string& value) {
  return node.inputs[node.inputs[0] == value ? 1 : 0];
}

bool is_one_element(const FactTable& facts, const std::string& value) {
  const auto& dims = facts.of(value).dims;
  return dims.has_value() && dims->size() <= 1 && (dims->empty() || dims->front().size == 1);
}

bool is_one_float(const FactTable& facts, const std::string& value) {
  return facts.is_float(value) && is_one_element(facts, value);
}

bool is_row(const FactTable& facts, const std::string& value, Index columns) {
  const ValueFacts& of = facts.of(value);
  return of.dtype == DType::kFloat32 && of.rank() == 1 && of.dims->front().size == columns;
}

struct Scales {
  std::string a;
  std::string b;
};

// A's and B's scale where `value` is their product. (A constant second one has been folded into no product.)
std::optional<Scales> match_scales(const Graph& graph, const ValueIndex& index, const FactTable& facts,
                                   const std::string& value, Index columns) {
  const Index maker = index.producer(value);
  if (maker < 0) {
    return std::nullopt;
  }
  const Node& product = graph.nodes[static_cast<std::size_t>(maker)];
  if (product.op_type != "Mul" || !product.domain.empty()) {
    return std::nullopt;
  }
  for (const std::size_t i : {0, 1}) {
    const std::string& a = product.inputs[i];
    const std::string& b = product.inputs[1 - i];
    if (is_one_float(facts, a) && (is_one_float(facts, b) || is_row(facts, b, columns))) {
      return Scales{.a = a, .b = b};
    }
  }
  return std::nullopt;
}

bool is_cast_to_float(const Node& node) {
  constexpr Index kProtoFloat = 1;
  return node.int_attribute("to", 0) == kProtoFloat;
}

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, const FactTable& facts, std::size_t i) {
  const Node product = graph.nodes[i];
  const Tensor* b = graph.constant(product.input(1));
  if (product.op_type != "MatMulInteger" || !product.domain.empty() || b == nullptr || b->rank() < 2 ||
      (!product.input(2).empty() && !is_one_element(facts, product.input(2)))) {
    return false;
  }
  const Index columns = b->shape().back();
  const auto cast = only_reader(graph, index, product.outputs[0], "Cast");
  if (!cast.has_value() || !is_cast_to_float(graph.nodes[*cast])) {
    return false;
  }
  const std::string& sums = graph.nodes[*cast].outputs[0];
  const auto scaled = only_reader(graph, index, sums, "Mul");
  if (!scaled.has_value()) {
    return false;
  }
  const std::string scale = other_operand(graph.nodes[*scaled], sums);
  const auto scales = match_scales(graph, index, facts, scale, columns);
  if (!scales.has_value()) {
    return false;
  }
  std::vector<std::size_t> absorbed = {i, *cast};
  std::size_t last = *scaled;
  std::string bias;
  const std::string result = graph.nodes[last].outputs[0];
  if (const auto add = only_reader(graph, index, result, "Add"); add.has_value()) {
    const std::string& row = other_operand(graph.nodes[*add], result);
    if (is_row(facts, row, columns)) {
      absorbed.push_back(last);
      last = *add;
      bias = row;
    }
  }
  Node fused;
  fused.name = product.name;
  fused.op_type = "MatMulIntegerToFloat";
  fused.domain = kMicrosoftDomain;
  fused.origin = kName;
  fused.inputs = {product.inputs[0], product.inputs[1], scales->a, scales->b, product.input(2), product.input(3)};
  if (!bias.empty()) {
    fused.inputs.push_back(bias);
  }
  while (fused.inputs.back().empty()) {
    fused.inputs.pop_back();
  }
  fused.outputs = graph.nodes[last].outputs;
  import_domain(graph, kMicrosoftDomain);
  graph.nodes[last] = std::move(fused);  // behind everything that it reads
  erase_nodes(graph, std::move(absorbed));
  return true;
}

}  // namespace

Result<Index> fuse_matmul_integer_to_float(Graph& graph, const PassContext& context) {
  const FactTable facts(graph, context.inputs_checked);
  return rewrite_until_stable(
      graph, [&](Graph& g, const ValueIndex& index, std::size_t i) { return fuse_at(g, index, facts, i); });
}

}  // namespace assay::passes
