// SPDX-License-Identifier: Apache-2.0
// Integer operators on the elements of one 8-bit value and constants of one element are a function of 256 bytes: a
// chain of them becomes ByteLookup. The runtime's own operators compute the table.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "engine/passes/all_passes.h"
#include "engine/passes/byte_table.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_chain.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "fuse_byte_functions";
constexpr std::size_t kMostNodes = 32;

// An operator that computes each element from one element of each operand.
struct ByteOp {
  const char* domain;
  const char* op_type;
  std::size_t operands;  // each with its scale and zero point behind it, if it has any
  bool has_parameters;
};
constexpr std::array kOps = {
    ByteOp{kAssayDomain, "ByteLookup", 1, false},
    ByteOp{"", "Clip", 1, false},
    ByteOp{"", "Relu", 1, false},
    ByteOp{kMicrosoftDomain, "QLinearAdd", 2, true},
    ByteOp{kMicrosoftDomain, "QLinearMul", 2, true},
    ByteOp{kMicrosoftDomain, "QLinearLeakyRelu", 1, true},
    ByteOp{kMicrosoftDomain, "QLinearSigmoid", 1, true},
};

// Where the zero point of the output stands in operators that make bytes.
struct ByteMaker {
  const char* op_type;  // in any domain
  std::size_t zero_point;
};
constexpr std::array kMakers = {ByteMaker{"QuantizeLinear", 2},
                                ByteMaker{"QLinearConv", 7},
                                ByteMaker{"QLinearMatMul", 7},
                                ByteMaker{"QGemm", 8},
                                ByteMaker{"QLinearAdd", 7},
                                ByteMaker{"QLinearMul", 7},
                                ByteMaker{"QLinearAveragePool", 4},
                                ByteMaker{"QLinearConcat", 1},
                                ByteMaker{"QLinearGlobalAveragePool", 4},
                                ByteMaker{"QLinearLeakyRelu", 4},
                                ByteMaker{"QLinearSigmoid", 4}};

const ByteOp* find_op(const Node& node) {
  const auto* const found = std::find_if(kOps.begin(), kOps.end(), [&](const ByteOp& op) {
    return node.domain == op.domain && node.op_type == op.op_type;
  });
  return found == kOps.end() ? nullptr : found;
}

class Fusion {
 public:
  Fusion(Graph& graph, const PassContext& context)
      : graph_(graph), evaluate_(context.evaluate), facts_(graph, context.inputs_checked), index_(graph) {}

  Index run() {
    return rewrite_from_last(graph_, index_, [this](std::size_t last) { return fuse_at(last); });
  }

 private:
  using Operands = std::optional<std::vector<std::size_t>>;

  // The rank is certain of what a convolution makes, which has that of its weights, and through operators on elements.
  std::optional<Index> rank_of(const std::string& value, int depth = 0) const {
    constexpr int kDeepest = 64;
    const Index maker = index_.producer(value);
    if (maker < 0 || depth > kDeepest) {
      return facts_.of(value).rank();
    }
    const Node& node = graph_.nodes[static_cast<std::size_t>(maker)];
    if (node.op_type == "QLinearConv") {
      const Tensor* weights = graph_.constant(node.input(3));
      return weights == nullptr ? std::nullopt : std::optional(static_cast<Index>(weights->rank()));
    }
    const ByteOp* op = find_op(node);
    if (op == nullptr) {
      return facts_.of(value).rank();
    }
    std::optional<Index> rank;  // the largest of what is known: a broadcast never lowers it
    for (std::size_t k = 0; k < op->operands; ++k) {
      const std::string& operand = node.inputs[3 * k];
      const Tensor* constant = graph_.constant(operand);
      const auto own = constant == nullptr ? rank_of(operand, depth + 1) : std::nullopt;
      rank = own.has_value() && (!rank.has_value() || *own > *rank) ? own : rank;
    }
    return rank;
  }

  bool are_constants(const Node& node, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < std::min(end, node.inputs.size()); ++i) {
      if (!node.inputs[i].empty() && graph_.constant(node.inputs[i]) == nullptr) {
        return false;
      }
    }
    return true;
  }

  // A constant operand has one element and adds no dimension to the other one.
  bool fits(const Node& node, std::size_t operand) const {
    const Tensor* constant = graph_.constant(node.inputs[operand]);
    if (constant == nullptr) {
      return true;
    }
    const auto own = static_cast<Index>(constant->rank());
    if (constant->size() != 1 || own == 0) {
      return constant->size() == 1;
    }
    const std::optional<Index> rank = rank_of(node.inputs[3 - operand]);
    return rank.has_value() && own <= *rank;
  }

  Operands operands(const Node& node) const {
    const ByteOp* op = find_op(node);
    if (op == nullptr) {
      return std::nullopt;
    }
    if (op->operands == 1) {
      const bool is_function = graph_.constant(node.inputs[0]) == nullptr && are_constants(node, 1, node.inputs.size());
      return is_function ? Operands(std::vector<std::size_t>{0}) : std::nullopt;
    }
    const bool both_constant = graph_.constant(node.inputs[0]) != nullptr && graph_.constant(node.inputs[3]) != nullptr;
    const bool is_function = !both_constant && fits(node, 0) && fits(node, 3) && are_constants(node, 1, 3) &&
                             are_constants(node, 4, node.inputs.size());
    return is_function ? Operands(std::vector<std::size_t>{0, 3}) : std::nullopt;
  }

  // As an operand's zero point says, or that of what makes the value.
  std::optional<DType> type_of_source(const ValueChain& chain) const {
    for (const std::size_t position : chain.nodes) {
      const Node& node = graph_.nodes[position];
      const ByteOp* op = find_op(node);
      for (std::size_t k = 0; op->has_parameters && k < op->operands; ++k) {
        const Tensor* zero_point = graph_.constant(node.input(3 * k + 2));
        if (node.inputs[3 * k] == chain.source && zero_point != nullptr) {
          return zero_point->dtype();
        }
      }
    }
    const Index maker = index_.producer(chain.source);
    if (maker < 0) {
      const DType dtype = facts_.of(chain.source).dtype;
      return is_8bit(dtype) ? std::optional(dtype) : std::nullopt;
    }
    const Node& node = graph_.nodes[static_cast<std::size_t>(maker)];
    const Tensor* example = nullptr;
    if (node.op_type == "ByteLookup") {
      example = graph_.constant(node.input(1));
    }
    for (const ByteMaker& row : kMakers) {
      if (node.op_type == row.op_type) {
        example = graph_.constant(node.input(row.zero_point));
      }
    }
    return example == nullptr ? std::nullopt : std::optional(example->dtype());
  }

  // The chain's results for every byte; empty() where they cannot be computed.
  Tensor table_of(const ValueChain& chain, DType dtype) const {
    constexpr std::array<std::size_t, 2> kOperands = {0, 3};
    ByteTable table({.graph = graph_, .evaluate = evaluate_, .source = chain.source, .dtype = dtype});
    for (const std::size_t position : chain.nodes) {
      const Node& node = graph_.nodes[position];
      const auto scalars = std::span(kOperands).first(find_op(node)->operands == 2 ? 2 : 0);
      if (!table.add(node, scalars).ok() || !is_8bit(table.at(node.outputs[0]).dtype()) ||
          table.at(node.outputs[0]).size() != kBytes) {
        return {};  // what fails now fails again, with its node's name, when the model runs
      }
    }
    return table.at(graph_.nodes[*chain.nodes.rbegin()].outputs[0]);
  }

  bool fuse_at(std::size_t last) {
    const auto chain =
        longest_chain(graph_, index_, last, kMostNodes, [this](const Node& node) { return operands(node); });
    const auto dtype = chain.has_value() ? type_of_source(*chain) : std::nullopt;
    if (!dtype.has_value() || !is_8bit(*dtype)) {
      return false;
    }
    Tensor table = table_of(*chain, *dtype);
    if (table.empty()) {
      return false;
    }
    const Node& end = graph_.nodes[last];
    graph_.nodes[last] = make_byte_lookup(graph_, {.name = end.name,
                                                   .origin = kName,
                                                   .source = chain->source,
                                                   .output = end.outputs[0],
                                                   .table = table.reshaped({kBytes})});
    return true;
  }

  Graph& graph_;
  const Evaluator& evaluate_;
  FactTable facts_;
  ValueIndex index_;
};

}  // namespace

// Not for sse41, whose QLinearAdd rounds a product before it adds: tables are computed with fused multiply-add.
Result<Index> fuse_byte_functions(Graph& graph, const PassContext& context) {
  if (!context.evaluate || context.profile.isa == Isa::kSse41) {
    return Index{0};
  }
  return Fusion(graph, context).run();
}

}  // namespace assay::passes
