// SPDX-License-Identifier: Apache-2.0
// Element-wise float32 operators on one value and constants of one element become ElementwiseChain, which computes them
// one after the other while a few elements are in the nearest cache.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "engine/passes/all_passes.h"
#include "engine/passes/clamp_match.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "fuse_elementwise";
constexpr std::size_t kMostSteps = 16;  // of ElementwiseChain
constexpr std::array<const char*, 4> kArithmetic = {"Add", "Sub", "Mul", "Div"};

bool is_arithmetic(const Node& node) {
  return std::find(kArithmetic.begin(), kArithmetic.end(), node.op_type) != kArithmetic.end();
}

// Makes chains, the last nodes first, so that each is as long as it can be.
class Fusion {
 public:
  Fusion(Graph& graph, bool inputs_checked) : graph_(graph), facts_(graph, inputs_checked), index_(graph) {}

  Index run() {
    Index count = 0;
    for (std::size_t i = graph_.nodes.size(); i-- > 0;) {
      const std::size_t before = graph_.nodes.size();
      if (fuse_at(i)) {
        index_.follow(graph_);
        i -= std::min(i, before - graph_.nodes.size());  // what is gone stood before it
        ++count;
      }
    }
    return count;
  }

 private:
  // Positions of nodes in ascending order, and the values they read that none of them makes.
  struct Group {
    std::set<std::size_t> nodes;
    std::set<std::string> inputs;
  };

  // float32 of one element that changes no shape where it meets `value`.
  std::optional<float> constant_beside(const std::string& name, const std::string& value) const {
    const Tensor* constant = graph_.constant(name);
    if (constant == nullptr || constant->dtype() != DType::kFloat32 || constant->size() != 1) {
      return std::nullopt;
    }
    const std::optional<Index> rank = facts_.of(value).rank();
    const auto own = static_cast<Index>(constant->rank());
    return own == 0 || (rank.has_value() && own <= *rank) ? std::optional(constant->data<float>()[0]) : std::nullopt;
  }

  bool is_step(const Node& node) const {
    if (!node.domain.empty()) {
      return false;
    }
    if (node.op_type == "LeakyRelu") {
      return true;
    }
    if (!is_arithmetic(node) || node.has_attribute("broadcast")) {  // which is an older opset's
      return match_clamp(graph_, node).has_value();
    }
    const bool left = graph_.constant(node.inputs[0]) != nullptr;
    const bool right = graph_.constant(node.inputs[1]) != nullptr;
    if (left && right) {
      return false;
    }
    return (!left || constant_beside(node.inputs[0], node.inputs[1]).has_value()) &&
           (!right || constant_beside(node.inputs[1], node.inputs[0]).has_value());
  }

  void add(std::size_t position, Group& group) const {
    const Node& node = graph_.nodes[position];
    group.nodes.insert(position);
    group.inputs.erase(node.outputs[0]);
    const std::size_t values = is_arithmetic(node) ? 2 : 1;  // not the bounds of Clip
    for (std::size_t k = 0; k < values; ++k) {
      if (graph_.constant(node.inputs[k]) == nullptr) {
        group.inputs.insert(node.inputs[k]);
      }
    }
  }

  // The last node that makes an input of the group and may belong to it: nobody else reads its output.
  std::optional<std::size_t> next(const Group& group) const {
    std::optional<std::size_t> found;
    for (const std::string& value : group.inputs) {
      const Index maker = index_.producer(value);
      if (maker < 0 || graph_.is_output(value) || !is_step(graph_.nodes[static_cast<std::size_t>(maker)])) {
        continue;
      }
      const auto& readers = index_.consumers(value);
      const bool is_inner = std::all_of(readers.begin(), readers.end(), [&](Index reader) {
        return group.nodes.contains(static_cast<std::size_t>(reader));
      });
      if (is_inner && (!found.has_value() || static_cast<std::size_t>(maker) > *found)) {
        found = static_cast<std::size_t>(maker);
      }
    }
    return found;
  }

  // float32 is certain: from what the value is made, or since a float32 constant meets it.
  bool is_float(const Group& group) const {
    return facts_.is_float(*group.inputs.begin()) ||
           std::any_of(group.nodes.begin(), group.nodes.end(), [&](std::size_t position) {
             const Node& node = graph_.nodes[position];
             return is_arithmetic(node) &&
                    (graph_.constant(node.inputs[0]) != nullptr || graph_.constant(node.inputs[1]) != nullptr);
           });
  }

  Node as_chain(const Group& group) const {
    std::vector<std::string> operators;
    std::vector<Index> operands;
    std::vector<float> constants;
    std::map<std::string, Index> values = {{*group.inputs.begin(), 0}};
    const auto constant = [&](float value) {
      constants.push_back(value);
      return -static_cast<Index>(constants.size());
    };
    for (const std::size_t position : group.nodes) {
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
    const Node& last = graph_.nodes[*group.nodes.rbegin()];
    Node chain;
    chain.name = last.name;
    chain.op_type = "ElementwiseChain";
    chain.domain = kAssayDomain;
    chain.inputs = {*group.inputs.begin()};
    chain.outputs = last.outputs;
    chain.origin = kName;
    chain.attributes = {
        {"operators", std::move(operators)}, {"operands", std::move(operands)}, {"constants", std::move(constants)}};
    return chain;
  }

  bool fuse_at(std::size_t last) {
    if (!is_step(graph_.nodes[last])) {
      return false;
    }
    Group group;
    add(last, group);
    Group best;
    for (auto more = next(group); more.has_value() && group.nodes.size() < kMostSteps; more = next(group)) {
      add(*more, group);
      if (group.inputs.size() == 1) {
        best = group;
      }
    }
    if (best.nodes.empty() || !is_float(best)) {
      return false;
    }
    Node chain = as_chain(best);
    graph_.nodes[last] = std::move(chain);
    import_domain(graph_, kAssayDomain);
    return true;
  }

  Graph& graph_;
  FactTable facts_;
  ValueIndex index_;
};

}  // namespace

Result<Index> fuse_elementwise(Graph& graph, const PassContext& context) {
  const Index count = Fusion(graph, context.inputs_checked).run();
  if (count > 0) {
    ASSAY_TRY(topological_sort(graph));
  }
  return count;
}

}  // namespace assay::passes
