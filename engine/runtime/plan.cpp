// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/plan.h"

#include <unordered_map>

#include "engine/runtime/guard.h"
#include "engine/runtime/half_adapter.h"
#include "engine/runtime/threads.h"

namespace assay::runtime {
namespace {

bool same_domain(const std::string& domain, const std::string& row_domain) {
  return domain == row_domain || (row_domain.empty() && domain == "ai.onnx");
}

// Gives every value its index.
class ValueTable {
 public:
  explicit ValueTable(Plan& plan) : plan_(plan) {}

  Index add(const std::string& name) {
    const auto [entry, added] = indices_.try_emplace(name, static_cast<Index>(plan_.values.size()));
    if (added) {
      plan_.values.push_back(name);
      plan_.constants.emplace_back();
    }
    return entry->second;
  }
  Index find(const std::string& name) const {
    const auto found = indices_.find(name);
    return found == indices_.end() ? kNoValue : found->second;
  }

 private:
  Plan& plan_;
  std::unordered_map<std::string, Index> indices_;
};

void add_sources(Plan& plan, ValueTable& table) {
  for (const ValueInfo& input : plan.graph->inputs) {
    plan.inputs.push_back(table.add(input.name));
  }
  for (const auto& [name, tensor] : plan.graph->initializers) {
    plan.constants[static_cast<std::size_t>(table.add(name))] = tensor;
  }
}

Result<PlanStep> make_step(const Plan& plan, std::size_t position, ValueTable& table) {
  const Node& node = plan.graph->nodes[position];
  PlanStep step;
  step.node = position;
  for (const std::string& input : node.inputs) {
    const Index value = input.empty() ? kNoValue : table.find(input);
    if (!input.empty() && value == kNoValue) {
      return invalid_model(node_text(*plan.graph, node) + ": input '" + input + "' is not made before the node");
    }
    step.inputs.push_back(value);
  }
  for (const std::string& output : node.outputs) {
    step.outputs.push_back(output.empty() ? kNoValue : table.add(output));
  }
  ASSAY_ASSIGN(step.op, prepare_operator({.graph = *plan.graph,
                                          .node = node,
                                          .profile = plan.options.profile,
                                          .features = plan.options.features,
                                          .threads = plan.options.threads}));
  return step;
}

Status add_outputs(Plan& plan, const ValueTable& table) {
  for (const ValueInfo& output : plan.graph->outputs) {
    const Index value = table.find(output.name);
    if (value == kNoValue) {
      return invalid_model("graph output '" + output.name + "' is made by no node");
    }
    plan.outputs.push_back(value);
  }
  return {};
}

// Walks backwards: the first step met that touches a value is the last that needs it.
void add_releases(Plan& plan) {
  std::vector<bool> needed(plan.values.size(), false);
  for (const Index output : plan.outputs) {
    needed[static_cast<std::size_t>(output)] = true;
  }
  for (std::size_t value = 0; value < plan.values.size(); ++value) {
    needed[value] = needed[value] || !plan.constants[value].empty();
  }
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    PlanStep& step = plan.steps[i];
    for (const std::vector<Index>* list : {&step.inputs, &step.outputs}) {
      for (const Index value : *list) {
        if (value != kNoValue && !needed[static_cast<std::size_t>(value)]) {
          needed[static_cast<std::size_t>(value)] = true;
          step.release.push_back(value);
        }
      }
    }
  }
}

// A value that one step alone uses, once, and whose maker gave it memory of its own. It is no output of the graph.
void mark_dying_inputs(Plan& plan) {
  std::vector<int> uses(plan.values.size(), 0);
  std::vector<bool> is_owned(plan.values.size(), false);
  for (const PlanStep& step : plan.steps) {
    for (const Index value : step.inputs) {
      if (value != kNoValue) {
        ++uses[static_cast<std::size_t>(value)];
      }
    }
    if (!step.outputs.empty() && step.outputs[0] != kNoValue) {
      is_owned[static_cast<std::size_t>(step.outputs[0])] = step.op->owns_output();
    }
  }
  for (const Index output : plan.outputs) {
    ++uses[static_cast<std::size_t>(output)];
  }
  for (PlanStep& step : plan.steps) {
    for (const Index value : step.inputs) {
      const auto at = static_cast<std::size_t>(value);
      step.dies.push_back(value != kNoValue && is_owned[at] && uses[at] == 1 ? 1 : 0);
    }
  }
}

// A layout that nobody behind an operator understands would only be undone.
void mark_makers_of_blocks(Plan& plan) {
  std::vector<bool> wanted(plan.values.size(), false);
  for (const PlanStep& step : plan.steps) {
    for (const Index value : step.inputs) {
      if (value != kNoValue && step.op->takes_blocks()) {
        wanted[static_cast<std::size_t>(value)] = true;
      }
    }
  }
  for (PlanStep& step : plan.steps) {
    const Index made = step.outputs.empty() ? kNoValue : step.outputs[0];
    step.makes_blocks = made != kNoValue && wanted[static_cast<std::size_t>(made)] && step.op->makes_blocks();
  }
}

}  // namespace

const OperatorRow* find_operator(const Node& node) {
  for (const auto rows :
       {float_operator_rows(), elementwise_operator_rows(), reduce_operator_rows(), structure_operator_rows(),
        layer_operator_rows(), quantized_operator_rows(), contributed_operator_rows()}) {
    for (const OperatorRow& row : rows) {
      if (node.op_type == row.op_type && same_domain(node.domain, row.domain)) {
        return &row;
      }
    }
  }
  return nullptr;
}

Result<std::unique_ptr<Operator>> prepare_operator(const PrepareContext& context) {
  const OperatorRow* row = find_operator(context.node);
  if (row == nullptr) {
    const std::string domain = context.node.domain.empty() ? "ai.onnx" : context.node.domain;
    return unsupported(context.text() + ": no operator " + context.node.op_type + " of domain " + domain +
                       " at opset " + std::to_string(context.opset()));
  }
  auto prepared = guarded([&] {
    return row->half == HalfPolicy::kThroughFloat ? prepare_through_float(*row, context) : row->prepare(context);
  });
  if (!prepared.ok()) {
    return with_node(context.graph, context.node, prepared.error());
  }
  return prepared;
}

Error with_node(const Graph& graph, const Node& node, const Error& error) {
  const std::string text = node_text(graph, node);
  return error.message.starts_with(text) ? error : Error{error.kind, text + ": " + error.message};
}

Result<Plan> build_plan(std::shared_ptr<const Graph> graph, const PlanOptions& options) {
  Plan plan;
  plan.graph = std::move(graph);
  plan.options = options;
  const ThreadScope threads(options.threads);
  ValueTable table(plan);
  add_sources(plan, table);
  for (std::size_t i = 0; i < plan.graph->nodes.size(); ++i) {
    ASSAY_ASSIGN(PlanStep step, make_step(plan, i, table));
    plan.steps.push_back(std::move(step));
  }
  ASSAY_TRY(add_outputs(plan, table));
  add_releases(plan);
  mark_dying_inputs(plan);
  if (options.carry_blocks) {
    mark_makers_of_blocks(plan);
  }
  return plan;
}

std::vector<KernelInfo> kernels(const Plan& plan) {
  std::vector<KernelInfo> infos;
  for (const PlanStep& step : plan.steps) {
    const Node& node = plan.graph->nodes[step.node];
    KernelInfo info = step.op->kernel();
    info.node = node.name;
    info.op = node.domain.empty() || node.domain == "ai.onnx" ? node.op_type : node.domain + "." + node.op_type;
    const std::string prefix = info.node + "/";
    infos.push_back(std::move(info));
    for (KernelInfo& nested : step.op->nested_kernels()) {
      nested.node.insert(0, prefix);
      nested.nested = true;
      infos.push_back(std::move(nested));
    }
  }
  return infos;
}

}  // namespace assay::runtime
