// SPDX-License-Identifier: Apache-2.0
// Gemm on float32 with oneDNN: Y = alpha * A' B' + beta * C, where A' [M,K] and B' [K,N] are A and B, transposed if
// transA or transB says so, and C broadcasts to [M,N].
#include "engine/runtime/float_product.h"
#include "engine/runtime/ops/broadcast.h"
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

struct GemmAttributes {
  float alpha = 1;
  float beta = 1;
  bool transposes_a = false;
  bool transposes_b = false;
};

// y += beta * c
Status add_c(const Tensor& c, float beta, Tensor& y) {
  ASSAY_TRY(check_type(c, "C", {DType::kFloat32}));
  const auto broadcast = Broadcast::make(y.shape(), c.shape());
  if (!broadcast.ok() || broadcast.value().shape() != y.shape()) {
    return invalid_argument("C must broadcast to the product's shape " + shape_text(y.shape()) + "; found " +
                            shape_text(c.shape()));
  }
  float* out = y.mutable_data<float>().data();
  broadcast_apply(broadcast.value(), out, c.data<float>().data(), out,
                  [beta](float product, float value) { return product + beta * value; });
  return {};
}

class Gemm : public Operator {
 public:
  Gemm(const GemmAttributes& attributes, bool b_constant)
      : attributes_(attributes), product_(attributes.alpha, b_constant) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    ASSAY_TRY(check_type(a, "A", {DType::kFloat32}));
    ASSAY_TRY(check_type(b, "B", {DType::kFloat32}));
    ASSAY_TRY(check_rank(a, "A", 2));
    ASSAY_TRY(check_rank(b, "B", 2));
    const MatrixOperand left = matrix_operand(a.shape(), attributes_.transposes_a, a.data<float>().data());
    const MatrixOperand right = matrix_operand(b.shape(), attributes_.transposes_b, b.data<float>().data());
    if (left.dims[1] != right.dims[0]) {
      return invalid_argument("the columns of A' must be as many as the rows of B'; found A " + shape_text(a.shape()) +
                              (attributes_.transposes_a ? " transposed" : "") + " and B " + shape_text(b.shape()) +
                              (attributes_.transposes_b ? " transposed" : ""));
    }
    const Shape shape = {left.dims[0], right.dims[1]};
    ASSAY_ASSIGN(Tensor y, Tensor::allocate(DType::kFloat32, shape));  // zeroed: the product over no elements
    if (y.size() > 0 && a.size() > 0) {
      ASSAY_TRY(
          product_.run({.a = left, .b = right, .y = y.mutable_data<float>().data(), .y_dims = shape, .b_tensor = &b}));
    }
    if (!context.input(2).empty()) {
      ASSAY_TRY(add_c(context.input(2), attributes_.beta, y));
    }
    context.multiply_accumulates = y.size() * left.dims[1];
    outputs.push_back(std::move(y));
    return {};
  }

  KernelInfo kernel() const override { return product_.kernel(); }

 private:
  GemmAttributes attributes_;
  FloatProduct product_;
};

}  // namespace

OperatorResult prepare_gemm(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 3));
  const Node& node = context.node;
  const GemmAttributes attributes{.alpha = node.float_attribute("alpha", 1),
                                  .beta = node.float_attribute("beta", 1),
                                  .transposes_a = node.int_attribute("transA", 0) != 0,
                                  .transposes_b = node.int_attribute("transB", 0) != 0};
  return onednn::call([&]() -> OperatorResult {
    return std::unique_ptr<Operator>(std::make_unique<Gemm>(attributes, context.constant(1) != nullptr));
  });
}

}  // namespace assay::runtime
