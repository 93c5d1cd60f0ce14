// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/executor.h"

#include <algorithm>

#include "engine/runtime/guard.h"
#include "engine/runtime/threads.h"

namespace assay::runtime {
namespace {

const Tensor kOmitted;

std::string dims_text(const std::vector<Dim>& dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::string open = dims[i].name.empty() ? "?" : dims[i].name;
    text += (i == 0 ? "" : ",") + (dims[i].known() ? std::to_string(dims[i].size) : open);
  }
  return text + "]";
}

using Inputs = std::map<std::string, Tensor>;

// Dimensions of one name are equal: this one against the first, in the order of the graph.
Status check_named_dimension(const Graph& graph, const Inputs& inputs, const ValueInfo& info, std::size_t axis) {
  const std::string& name = info.dims[axis].name;
  const Index size = inputs.at(info.name).dim(axis);
  for (const ValueInfo& other : graph.inputs) {
    for (std::size_t i = 0; i < other.dims.size(); ++i) {
      if (!other.has_shape || other.dims[i].known() || other.dims[i].name != name) {
        continue;
      }
      const Index first = inputs.at(other.name).dim(i);
      return first == size ? Status()
                           : invalid_argument("input '" + info.name + "' must agree with input '" + other.name +
                                              "' in dimension '" + name + "': found " + std::to_string(size) +
                                              " against " + std::to_string(first));
    }
  }
  return {};
}

Status check_dimensions(const Graph& graph, const Inputs& inputs, const ValueInfo& info) {
  const Tensor& tensor = inputs.at(info.name);
  if (tensor.rank() != info.dims.size()) {
    return invalid_argument("input '" + info.name + "' must have the shape " + dims_text(info.dims) + "; its rank is " +
                            std::to_string(tensor.rank()) + ", found " + shape_text(tensor.shape()));
  }
  for (std::size_t axis = 0; axis < info.dims.size(); ++axis) {
    const Dim& dim = info.dims[axis];
    if (dim.known() && dim.size != tensor.dim(axis)) {
      return invalid_argument("input '" + info.name + "' must have the shape " + dims_text(info.dims) + "; found " +
                              shape_text(tensor.shape()) + ", which differs in dimension " + std::to_string(axis));
    }
    if (!dim.known() && !dim.name.empty()) {
      ASSAY_TRY(check_named_dimension(graph, inputs, info, axis));
    }
  }
  return {};
}

Status check_input(const Graph& graph, const Inputs& inputs, const ValueInfo& info) {
  const auto found = inputs.find(info.name);
  if (found == inputs.end() || found->second.empty()) {
    return invalid_argument("input '" + info.name + "' is missing: the graph has " +
                            std::string(dtype_name(info.dtype)) + " " + dims_text(info.dims));
  }
  const Tensor& tensor = found->second;
  if (info.dtype != DType::kUndefined && tensor.dtype() != info.dtype) {
    return invalid_argument("input '" + info.name + "' must be " + std::string(dtype_name(info.dtype)) + "; found " +
                            std::string(dtype_name(tensor.dtype())));
  }
  return info.has_shape ? check_dimensions(graph, inputs, info) : Status{};
}

// One execution: values by index.
class Run {
 public:
  Run(const Plan& plan, const ExecuteOptions& options) : plan_(plan), options_(options), lists_(plan.memory->lists()) {
    lists_.values.resize(plan.values.size());
    lists_.blocks.resize(plan.values.size());
  }
  ~Run() {
    forget_arguments();
    lists_.outputs.clear();
    lists_.values.clear();
    lists_.blocks.clear();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Result<ExecuteResult> run(const std::map<std::string, Tensor>& inputs) {
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      at(plan_.inputs[i]) = inputs.at(plan_.graph->inputs[i].name);
    }
    ASSAY_TRY(run_steps());
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      ASSAY_TRY(lay_in_rows(plan_.outputs[i]));
      const ValueInfo& declared = plan_.graph->outputs[i];
      const Tensor& value = value_of(plan_.outputs[i]);
      if (declared.dtype != DType::kUndefined && !value.empty() && declared.dtype != value.dtype()) {
        return invalid_model("output '" + declared.name + "' is declared " + std::string(dtype_name(declared.dtype)) +
                             "; the graph computes " + std::string(dtype_name(value.dtype())));
      }
      result_.outputs[declared.name] = value;
    }
    return std::move(result_);
  }

  Result<std::vector<Tensor>> run_values(std::vector<Tensor> inputs, Index& multiply_accumulates) {
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      at(plan_.inputs[i]) = std::move(inputs[i]);
    }
    ASSAY_TRY(run_steps());
    multiply_accumulates += result_.multiply_accumulates;
    std::vector<Tensor> outputs;
    for (const Index output : plan_.outputs) {
      ASSAY_TRY(lay_in_rows(output));
      outputs.push_back(value_of(output));
    }
    return outputs;
  }

 private:
  Status run_steps() {
    const TapScope scope(options_.tap ? &options_.tap : nullptr);
    for (const PlanStep& step : plan_.steps) {
      const Status status = guarded([&] { return run_step(step); });
      if (!status.ok()) {
        return with_node(*plan_.graph, plan_.graph->nodes[step.node], status.error());
      }
      if (options_.after_node) {
        options_.after_node(step.node);
      }
    }
    return {};
  }

  // What this run has computed.
  Tensor& at(Index value) { return lists_.values[static_cast<std::size_t>(value)]; }

  const Tensor& value_of(Index value) {
    const Tensor& constant = plan_.constants[static_cast<std::size_t>(value)];
    return constant.empty() ? at(value) : constant;
  }

  ChannelBlocks& blocks_at(Index value) { return lists_.blocks[static_cast<std::size_t>(value)]; }

  // For what understands no blocks.
  Status lay_in_rows(Index value) {
    if (at(value).empty() && !blocks_at(value).empty()) {
      ASSAY_ASSIGN(at(value), in_rows(blocks_at(value), plan_.options.threads));
    }
    return {};
  }

  Status run_step(const PlanStep& step) {
    ASSAY_ASSIGN(const bool done, run_in_blocks(step));
    return done ? Status() : run_in_rows(step);
  }

  Result<bool> run_in_blocks(const PlanStep& step) {
    const auto is_in_blocks = [&](Index value) { return value != kNoValue && !blocks_at(value).empty(); };
    const bool may = step.makes_blocks ||
                     (step.op->takes_blocks() && std::any_of(step.inputs.begin(), step.inputs.end(), is_in_blocks));
    if (!may) {
      return false;
    }
    forget_arguments();
    for (const Index value : step.inputs) {
      const bool in_blocks = is_in_blocks(value);
      lists_.arguments.push_back(value == kNoValue || in_blocks ? kOmitted : value_of(value));
      lists_.block_arguments.push_back(in_blocks ? blocks_at(value) : ChannelBlocks());
    }
    RunContext context{.inputs = lists_.arguments,
                       .blocks = lists_.block_arguments,
                       .dies = dying_inputs(step),
                       .threads = plan_.options.threads};
    ASSAY_ASSIGN(ChannelBlocks output, step.op->run_in_blocks(context));
    if (output.empty()) {
      return false;
    }
    result_.multiply_accumulates += context.multiply_accumulates;
    const Index value = step.outputs[0];
    blocks_at(value) = std::move(output);
    ASSAY_TRY(tap_blocks(value));
    release(step);
    return true;
  }

  Status tap_blocks(Index value) {
    if (!options_.tap) {
      return {};
    }
    const std::string& name = plan_.values[static_cast<std::size_t>(value)];
    if (options_.tap_in_any_order) {
      if (const std::optional<Tensor> elements = in_any_order(blocks_at(value))) {
        options_.tap(name, *elements);
        return {};
      }
    }
    ASSAY_TRY(lay_in_rows(value));
    options_.tap(name, at(value));
    return {};
  }

  Status run_in_rows(const PlanStep& step) {
    forget_arguments();
    for (const Index value : step.inputs) {
      if (value != kNoValue) {
        ASSAY_TRY(lay_in_rows(value));
      }
      lists_.arguments.push_back(value == kNoValue ? kOmitted : value_of(value));
    }
    SaturationInfo witness;
    RunContext context{.inputs = lists_.arguments,
                       .dies = dying_inputs(step),
                       .threads = plan_.options.threads,
                       .witness = options_.witness_saturation ? &witness : nullptr};
    std::vector<Tensor>& outputs = lists_.outputs;
    outputs.clear();
    ASSAY_TRY(step.op->run(context, outputs));
    if (outputs.size() < step.outputs.size()) {
      return internal_error("the operator made " + std::to_string(outputs.size()) + " outputs; the node has " +
                            std::to_string(step.outputs.size()));
    }
    result_.multiply_accumulates += context.multiply_accumulates;
    if (options_.witness_saturation && step.op->saturates()) {
      witness.node = plan_.graph->nodes[step.node].name;
      result_.saturation.push_back(std::move(witness));
    }
    store(step, outputs);
    outputs.clear();  // what no value of the graph is
    release(step);
    return {};
  }

  void store(const PlanStep& step, std::vector<Tensor>& outputs) {
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      if (step.outputs[i] == kNoValue) {
        continue;
      }
      if (options_.tap) {
        options_.tap(plan_.values[static_cast<std::size_t>(step.outputs[i])], outputs[i]);
      }
      at(step.outputs[i]) = std::move(outputs[i]);
    }
  }

  // None where a tap may have kept them.
  std::span<const char> dying_inputs(const PlanStep& step) const {
    return options_.tap ? std::span<const char>() : step.dies;
  }

  void forget_arguments() {
    lists_.arguments.clear();
    lists_.block_arguments.clear();
  }

  void release(const PlanStep& step) {
    forget_arguments();  // or they would keep alive what is released here
    for (const Index value : step.release) {
      at(value) = Tensor();
      blocks_at(value) = ChannelBlocks();
    }
  }

  const Plan& plan_;
  const ExecuteOptions& options_;
  RunMemory::Lists& lists_;
  ExecuteResult result_;
};

}  // namespace

Result<ChannelBlocks> Operator::run_in_blocks(RunContext& /*context*/) { return ChannelBlocks(); }

const Tensor& RunContext::input(std::size_t i) const { return i < inputs.size() ? inputs[i] : kOmitted; }

Result<Tensor> RunContext::output(DType dtype, const Shape& shape) const {
  for (std::size_t i = 0; i < dies.size(); ++i) {
    if (dies[i] != 0 && inputs[i].dtype() == dtype && inputs[i].shape() == shape) {
      return inputs[i];
    }
  }
  return Tensor::allocate_uninitialized(dtype, shape);
}

Status check_inputs(const Graph& graph, const std::map<std::string, Tensor>& inputs) {
  for (const auto& [name, tensor] : inputs) {
    if (!graph.is_input(name)) {
      std::string known;
      for (const ValueInfo& info : graph.inputs) {
        known += (known.empty() ? "'" : ", '") + info.name + "'";
      }
      return invalid_argument("'" + name + "' is no input of the graph; its inputs are " +
                              (known.empty() ? "none" : known));
    }
  }
  for (const ValueInfo& info : graph.inputs) {
    ASSAY_TRY(check_input(graph, inputs, info));
  }
  return {};
}

Result<ExecuteResult> execute(const Plan& plan, const std::map<std::string, Tensor>& inputs,
                              const ExecuteOptions& options) {
  ASSAY_TRY(check_inputs(*plan.graph, inputs));
  const ThreadScope threads(plan.options.threads);
  if (options.tap) {
    return Run(plan, options).run(inputs);
  }
  std::vector<Shape>& shapes = plan.memory->lists().input_shapes;
  shapes.clear();
  for (const ValueInfo& input : plan.graph->inputs) {
    shapes.push_back(inputs.at(input.name).shape());
  }
  auto result = [&] {
    const BlockArenaPass pass(plan.memory->arena_for(shapes));
    return Run(plan, options).run(inputs);
  }();
  plan.memory->end_run();
  return result;
}

Result<std::vector<Tensor>> execute_values(const Plan& plan, std::vector<Tensor> inputs, Index& multiply_accumulates,
                                           const Tap& tap) {
  if (inputs.size() != plan.inputs.size()) {
    return internal_error("a subgraph with " + std::to_string(plan.inputs.size()) + " inputs was given " +
                          std::to_string(inputs.size()));
  }
  const ExecuteOptions options{.tap = tap, .after_node = nullptr, .witness_saturation = false};
  return Run(plan, options).run_values(std::move(inputs), multiply_accumulates);
}

}  // namespace assay::runtime
