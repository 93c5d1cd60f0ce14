// SPDX-License-Identifier: Apache-2.0
// float32 matrix products with oneDNN, for MatMul and Gemm: Y[b] = alpha * A[b] B[b] over broadcast batch dimensions.
// Large ones are cut into pieces for one thread each, the same for any number of threads, and so are the results.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/runtime/onednn.h"

namespace assay::runtime {

// One operand: batch dimensions, then rows and columns, with strides in elements, so that a transposed matrix is the
// same data with its strides exchanged.
struct MatrixOperand {
  IndexList dims;
  IndexList strides;
  const float* data = nullptr;
};

// Row-major, last two dimensions exchanged if `transposed`.
MatrixOperand matrix_operand(const Shape& shape, bool transposed, const float* data);

struct FloatProductArgs {
  MatrixOperand a;  // [batch..., m, k]
  MatrixOperand b;  // [batch..., k, n], as many dimensions as a; batch dimensions equal or 1
  float* y = nullptr;
  Shape y_dims;                      // [batch..., m, n], row-major
  const Tensor* b_tensor = nullptr;  // that b lies in, where FloatProduct has b_constant
};

class FloatProduct {
 public:
  // `b_constant`: B's data is the same in every run, so its layout is changed once only.
  FloatProduct(float alpha, bool b_constant);
  ~FloatProduct();
  FloatProduct(const FloatProduct&) = delete;
  FloatProduct& operator=(const FloatProduct&) = delete;

  // No dimension is 0. Errors: oneDNN's.
  Status run(const FloatProductArgs& args);
  KernelInfo kernel() const { return info_; }

 private:
  class Piece;
  class Primitive;
  Primitive& primitive(const FloatProductArgs& args);

  float alpha_;
  bool b_constant_;
  KernelInfo info_;
  std::map<IndexList, std::unique_ptr<Primitive>> primitives_;  // by the dimensions of A and B
  const Primitive* last_ = nullptr;                             // that info_ tells of
};

}  // namespace assay::runtime
