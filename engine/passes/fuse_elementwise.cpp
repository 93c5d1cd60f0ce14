// SPDX-License-Identifier: Apache-2.0
// Element-wise float32 operators on one value and constants of one element become ElementwiseChain, which computes them
// one after the other while a few elements are in the nearest cache.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/clamp_match.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_chain.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "fuse_elementwise";
constexpr std::size_t kMostSteps = 16;  // of ElementwiseChain
constexpr std::array<const char*, 4> kArithmetic = {"Add", "Sub", "Mul", "Div"};

bool is_arithmetic(const Node& node) {
  return std::find(kArithmetic.begin(), kArithmetic.end(), node.op_type) != kArithmetic.end();
}

class Fusion {
 public:
  Fusion(Graph& graph, bool inputs_checked) : graph_(graph), facts_(graph, inputs_checked), index_(graph) {}

  Index run() {
    return rewrite_from_last(graph_, index_, [this](std::size_t last) {
      const auto chain = longest_chain(graph_, index_, last, kMostSteps, [this](const Node& n) { return operands(n); });
      if (!chain.has_value() || !is_float(*chain)) {
        return false;
      }
      graph_.nodes[last] = as_node(*chain);
      import_domain(graph_, kAssayDomain);
      return true;
    });
  }

 private:
  using Operands = std::optional<std::vector<std::size_t>>;

  // Whether the constant is float32 of one element that changes no shape where it meets `value`.
  bool is_scalar_beside(const Tensor& constant, const std::string& value) const {
    const std::optional<Index> rank = facts_.of(value).rank();
    const auto own = static_cast<Index>(constant.rank());
    return constant.dtype() == DType::kFloat32 && constant.size() == 1 &&
           (own == 0 || (rank.has_value() && own <= *rank));
  }

  Operands operands(const Node& node) const {
    if (!node.domain.empty()) {
      return std::nullopt;
    }
    if (node.op_type == "LeakyRelu") {
      return Operands(std::vector<std::size_t>{0});
    }
    if (!is_arithmetic(node) || node.has_attribute("broadcast")) {  // which is an older opset's
      return match_clamp(graph_, node).has_value() ? Operands(std::vector<std::size_t>{0}) : std::nullopt;
    }
    const Tensor* left = graph_.constant(node.inputs[0]);
    const Tensor* right = graph_.constant(node.inputs[1]);
    const bool fits = (left == nullptr || right == nullptr) &&
                      (left == nullptr || is_scalar_beside(*left, node.inputs[1])) &&
                      (right == nullptr || is_scalar_beside(*right, node.inputs[0]));
    return fits ? Operands(std::vector<std::size_t>{0, 1}) : std::nullopt;
  }

  // float32 is certain: from what the source is made, or since a float32 constant meets it.
  bool is_float(const ValueChain& chain) const {
    return facts_.is_float(chain.source) ||
           std::any_of(chain.nodes.begin(), chain.nodes.end(), [&](std::size_t position) {
             const Node& node = graph_.nodes[position];
             return is_arithmetic(node) &&
                    (graph_.constant(node.inputs[0]) != nullptr || graph_.constant(node.inputs[1]) != nullptr);
           });
  }

  Node as_node(const ValueChain& chain) const {
    std::vector<std::string> operators;
    std::vector<Index> operands;
    std::vector<float> constants;
    std::map<std::string, Index> values = {{chain.source, 0}};
    const auto constant = [&](float value) {
      constants.push_back(value);
      return -static_cast<Index>(constants.size());
    };
    for (const std::size_t position : chain.nodes) {
      const Node& node = graph_.nodes[position];
      std::array<Index, 3> step = {};
      if (is_arithmetic(node)) {
        operators.push_back(node.op_type);
        for (std::size_t k = 0; k < 2; ++k) {
          const Tensor* tensor = graph_.constant(node.inputs[k]);
          step[k] = tensor == nullptr ? values.at(node.inputs[k]) : constant(tensor->data<float>()[0]);
        }
      } else if (node.op_type == "LeakyRelu") {
        operators.emplace_back("LeakyRelu");
        step = {values.at(node.inputs[0]), constant(node.float_attribute("alpha", 0.01F))};
      } else {
        const RealBounds bounds = *match_clamp(graph_, node);
        operators.emplace_back("Clip");
        step[0] = values.at(node.inputs[0]);
        step[1] = constant(bounds.low);
        step[2] = constant(bounds.high);
      }
      operands.insert(operands.end(), step.begin(), step.end());
      values[node.outputs[0]] = static_cast<Index>(operators.size());
    }
    const Node& last = graph_.nodes[*chain.nodes.rbegin()];
    Node fused;
    fused.name = last.name;
    fused.op_type = "ElementwiseChain";
    fused.domain = kAssayDomain;
    fused.inputs = {chain.source};
    fused.outputs = last.outputs;
    fused.origin = kName;
    fused.attributes = {
        {"operators", std::move(operators)}, {"operands", std::move(operands)}, {"constants", std::move(constants)}};
    return fused;
  }

  Graph& graph_;
  FactTable facts_;
  ValueIndex index_;
};

}  // namespace

Result<Index> fuse_elementwise(Graph& graph, const PassContext& context) {
  return Fusion(graph, context.inputs_checked).run();
}

}  // namespace assay::passes
