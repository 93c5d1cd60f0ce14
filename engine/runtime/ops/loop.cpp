// SPDX-License-Identifier: Apache-2.0
// Loop: the body runs while the condition holds and the trip count is not reached. Its inputs are the iteration number,
// the condition and the carried values; its outputs the condition, the carried values and, per scan output, one element
// of a tensor that is stacked along a new first axis.
#include <algorithm>
#include <limits>

#include "engine/runtime/ops/control_flow.h"
#include "engine/runtime/ops/stack.h"
#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

class Loop final : public Operator {
 public:
  Loop(Subgraphs body, std::size_t carried) : body_(std::move(body)), carried_(carried) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(const Index trips, trip_count(context.input(0)));
    Tensor condition = context.input(1).empty() ? Tensor::scalar(true) : context.input(1);
    ASSAY_TRY(check_flag(condition));
    for (std::size_t i = 0; i < carried_; ++i) {
      outputs.push_back(context.input(2 + i));
    }
    const std::size_t scans = body_.outputs(0) - 1 - carried_;
    std::vector<std::vector<Tensor>> stacked(scans);
    for (Index trip = 0; trip < trips && condition.data<bool>()[0]; ++trip) {
      std::vector<Tensor> arguments = {Tensor::scalar(trip), condition};
      arguments.insert(arguments.end(), outputs.begin(), outputs.end());
      ASSAY_ASSIGN(std::vector<Tensor> made, body_.run(0, std::move(arguments), context));
      condition = made[0];
      ASSAY_TRY(check_flag(condition));
      std::move(made.begin() + 1, made.begin() + 1 + static_cast<std::ptrdiff_t>(carried_), outputs.begin());
      for (std::size_t i = 0; i < scans; ++i) {
        stacked[i].push_back(std::move(made[1 + carried_ + i]));
      }
    }
    for (const std::vector<Tensor>& elements : stacked) {
      ASSAY_ASSIGN(Tensor joined, stack(elements, 0));
      outputs.push_back(std::move(joined));
    }
    return {};
  }
  KernelInfo kernel() const override { return control_kernel(); }
  std::vector<KernelInfo> nested_kernels() const override { return body_.kernels(); }

 private:
  static Result<Index> trip_count(const Tensor& tensor) {
    if (tensor.empty()) {
      return std::numeric_limits<Index>::max();
    }
    ASSAY_ASSIGN(const IndexList list, index_list(tensor, "M"));
    if (list.size() != 1) {
      return invalid_argument("M must have one element; found " + shape_text(tensor.shape()));
    }
    return list[0];
  }
  static Status check_flag(const Tensor& tensor) {
    ASSAY_TRY(check_type(tensor, "cond", {DType::kBool}));
    return tensor.size() == 1
               ? Status()
               : Status(invalid_argument("cond must have one element; found " + shape_text(tensor.shape())));
  }

  Subgraphs body_;
  std::size_t carried_;
};

}  // namespace

OperatorResult prepare_loop(const PrepareContext& context) {
  ASSAY_ASSIGN(Subgraphs body, Subgraphs::make(context, {"body"}));
  const std::size_t carried = context.node.own_inputs() < 2 ? 0 : context.node.own_inputs() - 2;
  if (body.own_inputs(0) != carried + 2 || body.outputs(0) < carried + 1 ||
      body.outputs(0) - 1 < context.node.outputs.size()) {
    return invalid_model("the body must have " + std::to_string(carried + 2) + " inputs and at least " +
                         std::to_string(std::max(carried, context.node.outputs.size()) + 1) + " outputs; found " +
                         std::to_string(body.own_inputs(0)) + " and " + std::to_string(body.outputs(0)));
  }
  return OperatorResult(std::make_unique<Loop>(std::move(body), carried));
}

}  // namespace assay::runtime
