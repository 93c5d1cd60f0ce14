// SPDX-License-Identifier: Apache-2.0
// If: runs the branch that the condition, one bool, chooses.
#include <algorithm>
#include <iterator>

#include "engine/runtime/ops/control_flow.h"
#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

class If final : public Operator {
 public:
  explicit If(Subgraphs branches) : branches_(std::move(branches)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& condition = context.input(0);
    ASSAY_TRY(check_type(condition, "cond", {DType::kBool}));
    if (condition.size() != 1) {
      return invalid_argument("cond must have one element; found " + shape_text(condition.shape()));
    }
    ASSAY_ASSIGN(std::vector<Tensor> made, branches_.run(condition.data<bool>()[0] ? 0 : 1, {}, context));
    std::ranges::move(made, std::back_inserter(outputs));
    return {};
  }
  KernelInfo kernel() const override { return control_kernel(); }
  std::vector<KernelInfo> nested_kernels() const override { return branches_.kernels(); }

 private:
  Subgraphs branches_;
};

}  // namespace

OperatorResult prepare_if(const PrepareContext& context) {
  ASSAY_ASSIGN(Subgraphs branches, Subgraphs::make(context, {"then_branch", "else_branch"}));
  for (const std::size_t which : {0, 1}) {
    if (branches.own_inputs(which) != 0 || branches.outputs(which) < context.node.outputs.size()) {
      return invalid_model("a branch must have no inputs and " + std::to_string(context.node.outputs.size()) +
                           " outputs; found " + std::to_string(branches.own_inputs(which)) + " and " +
                           std::to_string(branches.outputs(which)));
    }
  }
  return OperatorResult(std::make_unique<If>(std::move(branches)));
}

}  // namespace assay::runtime
