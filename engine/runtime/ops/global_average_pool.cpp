// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePool on float32: the mean over all spatial dimensions, accumulated in double.
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

Result<Tensor> global_average_pool(const Tensor& x) {
  ASSAY_TRY(check_type(x, "X", {DType::kFloat32}));
  if (x.rank() < 3) {
    return invalid_argument("X must have the shape [N,C,...] with a spatial dimension; found " + shape_text(x.shape()));
  }
  Shape shape(x.rank(), 1);
  shape[0] = x.dim(0);
  shape[1] = x.dim(1);
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, std::move(shape)));
  if (y.size() == 0) {
    return y;
  }
  if (x.size() == 0) {
    return invalid_argument("the mean of no elements is undefined; X has the shape " + shape_text(x.shape()));
  }
  const Index plane = dims_product(x.shape(), 2, x.rank());
  const float* in = x.data<float>().data();
  for (float& mean : y.mutable_data<float>()) {
    double sum = 0;
    for (Index i = 0; i < plane; ++i) {
      sum += static_cast<double>(in[i]);
    }
    mean = static_cast<float>(sum / static_cast<double>(plane));
    in += plane;
  }
  return y;
}

}  // namespace

OperatorResult prepare_global_average_pool(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  return make_operator([](const RunContext& run) { return global_average_pool(run.input(0)); }, "float32");
}

}  // namespace assay::runtime
