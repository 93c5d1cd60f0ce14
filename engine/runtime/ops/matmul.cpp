// SPDX-License-Identifier: Apache-2.0
// MatMul on float32 with oneDNN, as numpy.matmul: batch dimensions broadcast; a 1-d A is a row, a 1-d B a column, and
// the dimension of 1 that this adds leaves the result.
#include <algorithm>

#include "engine/runtime/float_product.h"
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

struct MatMulShape {
  Shape a;  // [batch..., m, k], as many dimensions as b
  Shape b;  // [batch..., k, n]
  Shape product;
  Shape y;
};

Shape batch_of(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

void pad_rank(Shape& shape, std::size_t rank) { shape.insert(shape.begin(), rank - shape.size(), 1); }

Result<MatMulShape> resolve(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) {
    return invalid_argument("A and B must have at least one dimension; found " + shape_text(a) + " and " +
                            shape_text(b));
  }
  MatMulShape out{.a = a, .b = b, .product = {}, .y = {}};
  if (a.size() == 1) {
    out.a = {1, a[0]};
  }
  if (b.size() == 1) {
    out.b = {b[0], 1};
  }
  const Index m = out.a[out.a.size() - 2];
  const Index n = out.b.back();
  if (out.a.back() != out.b[out.b.size() - 2]) {
    return invalid_argument("A's columns must be as many as B's rows; found A " + shape_text(a) + " and B " +
                            shape_text(b));
  }
  ASSAY_ASSIGN(out.product, broadcast_shape(batch_of(out.a), batch_of(out.b)));
  out.y = out.product;
  out.product.insert(out.product.end(), {m, n});
  if (a.size() > 1) {
    out.y.push_back(m);
  }
  if (b.size() > 1) {
    out.y.push_back(n);
  }
  pad_rank(out.a, out.product.size());
  pad_rank(out.b, out.product.size());
  return out;
}

// Where B has no batch, A's batch and rows are one: a single product instead of many.
void merge_batch(MatMulShape& shape) {
  const std::size_t rank = shape.product.size();
  if (rank == 2 || dims_product(shape.b, 0, rank - 2) != 1) {
    return;
  }
  const Index k = shape.a.back();
  shape.a = {dims_product(shape.a, 0, rank - 1), k};
  shape.b = {k, shape.b.back()};
  shape.product = {shape.a[0], shape.b[1]};
}

class MatMul : public Operator {
 public:
  explicit MatMul(bool b_constant) : product_(1.0F, b_constant) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    ASSAY_TRY(check_type(a, "A", {DType::kFloat32}));
    ASSAY_TRY(check_type(b, "B", {DType::kFloat32}));
    ASSAY_ASSIGN(MatMulShape shape, resolve(a.shape(), b.shape()));
    ASSAY_ASSIGN(Tensor y, Tensor::allocate(DType::kFloat32, shape.y));  // zeroed: the product over no elements
    if (y.size() > 0 && a.size() > 0) {
      merge_batch(shape);
      if (shape.product.size() > DNNL_MAX_NDIMS) {
        return unsupported("A and B may have up to " + std::to_string(DNNL_MAX_NDIMS) + " dimensions; found " +
                           shape_text(a.shape()) + " and " + shape_text(b.shape()));
      }
      ASSAY_TRY(product_.run({.a = matrix_operand(shape.a, false, a.data<float>().data()),
                              .b = matrix_operand(shape.b, false, b.data<float>().data()),
                              .y = y.mutable_data<float>().data(),
                              .y_dims = shape.product,
                              .b_tensor = &b}));
    }
    context.multiply_accumulates = y.size() * shape.a.back();
    outputs.push_back(std::move(y));
    return {};
  }

  KernelInfo kernel() const override { return product_.kernel(); }

 private:
  FloatProduct product_;
};

}  // namespace

OperatorResult prepare_matmul(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return onednn::call([&]() -> OperatorResult {
    return std::unique_ptr<Operator>(std::make_unique<MatMul>(context.constant(1) != nullptr));
  });
}

}  // namespace assay::runtime
