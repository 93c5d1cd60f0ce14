// SPDX-License-Identifier: Apache-2.0
// DynamicQuantizeLinear: uint8 with a scale and zero point from the range of x (kernels/linear has the formulas).
#include "engine/kernels/linear/linear.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

class DynamicQuantizeLinear final : public Operator {
 public:
  DynamicQuantizeLinear(const kernels::LinearChoice& choice, KernelInfo info)
      : kernel_(*choice.kernel), info_(std::move(info)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& x = context.input(0);
    ASSAY_TRY(expect_dtype(x, DType::kFloat32, "x"));
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kUint8, x.shape()));
    const float* data = x.data<float>().data();
    const kernels::DynamicParams params = kernels::dynamic_quantize_params(kernel_.range(data, x.size()));
    kernel_.quantize({.x = data,
                      .count = x.size(),
                      .scale = params.scale,
                      .zero_point = params.zero_point,
                      .y_type = kernels::LinearType::kUint8,
                      .y = y.mutable_bytes()});
    outputs.push_back(std::move(y));
    outputs.push_back(Tensor::scalar<float>(params.scale));
    outputs.push_back(Tensor::scalar<std::uint8_t>(static_cast<std::uint8_t>(params.zero_point)));
    return {};
  }

  KernelInfo kernel() const override { return info_; }

 private:
  const kernels::LinearKernel& kernel_;
  KernelInfo info_;
};

}  // namespace

OperatorResult prepare_dynamic_quantize_linear(const PrepareContext& context) {
  if (!context.has_input(0) || context.node.inputs.size() > 1) {
    return invalid_model("DynamicQuantizeLinear has one input; found " + std::to_string(context.node.inputs.size()));
  }
  const kernels::LinearChoice choice = kernels::choose_linear(context.profile, context.features);
  return OperatorResult(
      std::make_unique<DynamicQuantizeLinear>(choice, kernel_info(choice, context.profile, "float32")));
}

}  // namespace assay::runtime
