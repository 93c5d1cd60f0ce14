// SPDX-License-Identifier: Apache-2.0
// MatMulIntegerToFloat: Y = (A - a_zero_point)(B - b_zero_point) * f32(a_scale * b_scale) + bias, the integer product
// as MatMulInteger has it; scales and zero points of B per column or one. DynamicQuantizeMatMul first quantizes a float
// A as DynamicQuantizeLinear does.
#include "engine/runtime/ops/composed.h"
#include "engine/runtime/ops/contributed_operators.h"
#include "engine/runtime/ops/quantized_operators.h"

namespace assay::runtime {
namespace {

struct Scales {
  Tensor a;
  Tensor b;
  Tensor bias;
};

Result<Tensor> to_float(const Tensor& sums, const Scales& scales) {
  ASSAY_TRY(check_type(scales.a, "a_scale", {DType::kFloat32}));
  ASSAY_TRY(check_type(scales.b, "b_scale", {DType::kFloat32}));
  const Index columns = sums.rank() == 0 ? 1 : sums.shape().back();
  const bool bias_fits =
      scales.bias.empty() || (scales.bias.dtype() == DType::kFloat32 && scales.bias.size() == columns);
  if (scales.a.size() != 1 || (scales.b.size() != 1 && scales.b.size() != columns) || !bias_fits) {
    return invalid_argument("a_scale must have 1, b_scale 1 or " + std::to_string(columns) + " and bias " +
                            std::to_string(columns) + " elements of float32; found " + shape_text(scales.a.shape()) +
                            ", " + shape_text(scales.b.shape()) + " and " + shape_text(scales.bias.shape()));
  }
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, sums.shape()));
  const std::int32_t* from = sums.data<std::int32_t>().data();
  float* to = y.mutable_data<float>().data();
  const float a_scale = scales.a.data<float>()[0];
  for (Index i = 0; i < y.size(); ++i) {
    const auto column = static_cast<std::size_t>(i % columns);
    const float b_scale = scales.b.data<float>()[scales.b.size() == 1 ? 0 : column];
    const float bias = scales.bias.empty() ? 0.0F : scales.bias.data<float>()[column];
    to[i] = static_cast<float>(from[i]) * (a_scale * b_scale) + bias;
  }
  return y;
}

class MatMulIntegerToFloat final : public Operator {
 public:
  explicit MatMulIntegerToFloat(Part product) : product_(std::move(product)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(const Tensor sums,
                 product_.run(context, {context.input(0), context.input(1), context.input(4), context.input(5)}));
    ASSAY_ASSIGN(Tensor y, to_float(sums, {.a = context.input(2), .b = context.input(3), .bias = context.input(6)}));
    outputs.push_back(std::move(y));
    return {};
  }
  KernelInfo kernel() const override { return product_.op().kernel(); }
  bool saturates() const override { return product_.op().saturates(); }

 private:
  Part product_;
};

class DynamicQuantizeMatMul final : public Operator {
 public:
  DynamicQuantizeMatMul(Part quantize, Part product) : quantize_(std::move(quantize)), product_(std::move(product)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    std::array<Tensor, 3> quantized;
    ASSAY_TRY(quantize_.run(context, context.inputs.first(1), quantized));
    ASSAY_ASSIGN(const Tensor sums,
                 product_.run(context, {quantized[0], context.input(1), quantized[2], context.input(3)}));
    ASSAY_ASSIGN(Tensor y, to_float(sums, {.a = quantized[1], .b = context.input(2), .bias = context.input(4)}));
    outputs.push_back(std::move(y));
    return {};
  }
  KernelInfo kernel() const override { return product_.op().kernel(); }
  bool saturates() const override { return product_.op().saturates(); }

 private:
  Part quantize_;
  Part product_;
};

}  // namespace

OperatorResult prepare_matmul_integer_to_float(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 4, 7));
  const Node& node = context.node;
  ASSAY_ASSIGN(auto product, prepare_part(context,
                                          {.op_type = "MatMulInteger",
                                           .inputs = {node.input(0), node.input(1), node.input(4), node.input(5)}},
                                          prepare_matmul_integer));
  return OperatorResult(std::make_unique<MatMulIntegerToFloat>(std::move(product)));
}

OperatorResult prepare_dynamic_quantize_matmul(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 3, 5));
  const Node& node = context.node;
  ASSAY_ASSIGN(auto quantize, prepare_part(context, {.op_type = "DynamicQuantizeLinear", .inputs = {node.input(0)}},
                                           prepare_dynamic_quantize_linear));
  // What the first part makes has names that no value of the graph has.
  const std::string made = fresh_name(context.graph, "quantized");
  ASSAY_ASSIGN(auto product, prepare_part(context,
                                          {.op_type = "MatMulInteger",
                                           .inputs = {made, node.input(1), made + "_zero_point", node.input(3)}},
                                          prepare_matmul_integer));
  return OperatorResult(std::make_unique<DynamicQuantizeMatMul>(std::move(quantize), std::move(product)));
}

}  // namespace assay::runtime
