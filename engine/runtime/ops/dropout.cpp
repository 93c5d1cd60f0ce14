// SPDX-License-Identifier: Apache-2.0
// Dropout as inference has it: the data, and a mask that keeps everything. A training_mode of true with a ratio above 0
// is refused, since it would need random numbers.
#include <algorithm>

#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {
namespace {

class Dropout final : public Operator {
 public:
  explicit Dropout(bool wants_mask) : wants_mask_(wants_mask) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& data = context.input(0);
    const Tensor& training = context.input(2);
    const Tensor& ratio = context.input(1);
    const bool trains = !training.empty() && training.size() == 1 && training.to_indices()[0] != 0;
    const double share = ratio.empty() ? 0.5 : ratio.to_doubles().empty() ? 0 : ratio.to_doubles()[0];
    if (trains && share != 0) {
      return unsupported("training_mode with the ratio " + std::to_string(share) + " is not supported");
    }
    outputs.push_back(data);
    if (wants_mask_) {
      ASSAY_ASSIGN(Tensor mask, Tensor::allocate_uninitialized(DType::kBool, data.shape()));
      std::fill_n(mask.mutable_data<bool>().begin(), mask.size(), true);
      outputs.push_back(std::move(mask));
    }
    return {};
  }
  KernelInfo kernel() const override { return plain_kernel("move", "view"); }

 private:
  bool wants_mask_;
};

}  // namespace

OperatorResult prepare_dropout(const PrepareContext& context) {
  const bool wants_mask = context.node.outputs.size() > 1 && !context.node.outputs[1].empty();
  if (wants_mask && context.opset() < 10) {
    return unsupported("the output mask is not supported before opset 10");
  }
  return OperatorResult(std::make_unique<Dropout>(wants_mask));
}

}  // namespace assay::runtime
