// SPDX-License-Identifier: Apache-2.0
// Relu and Clip, on floats and raw integers: y = min(max(x, low), high). NaN stays NaN; low above high gives high.
// Relu on a quantized tensor clamps the integers at 0, which is the real 0 only where the zero point is 0.
#include <limits>
#include <optional>

#include "engine/runtime/ops/element_loop.h"
#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

// Clip's defaults, by number as the standard has them: without a bound infinities become the largest numbers.
template <typename T>
struct Bounds {
  T low = std::numeric_limits<T>::lowest();
  T high = std::numeric_limits<T>::max();
};

template <typename T>
Result<Tensor> clamp(const RunContext& context, const Bounds<T>& bounds) {
  const T low = bounds.low;
  const T high = bounds.high;
  return map_elements<T, T>(context, [low, high](T x) {
    const T raised = x < low ? low : x;
    return raised > high ? high : raised;
  });
}

Result<Tensor> relu(const RunContext& context) {
  return with_number_type(context.input(0).dtype(), "X", [&]<typename T>() -> Result<Tensor> {
    Bounds<T> bounds;
    bounds.low = 0;
    if constexpr (std::numeric_limits<T>::has_infinity) {
      bounds.high = std::numeric_limits<T>::infinity();
    }
    return clamp(context, bounds);
  });
}

// One bound of the input form: a scalar of X's type, or one element.
template <typename T>
Status read_bound(const Tensor& tensor, const char* name, T& bound) {
  if (tensor.empty()) {
    return {};
  }
  if (tensor.dtype() != DTypeOf<T>::value || tensor.size() != 1) {
    return invalid_argument(std::string(name) + " must be a scalar of X's type " +
                            std::string(dtype_name(DTypeOf<T>::value)) + "; found " +
                            std::string(dtype_name(tensor.dtype())) + " " + shape_text(tensor.shape()));
  }
  bound = tensor.data<T>()[0];
  return {};
}

Result<Tensor> clip_by_inputs(const RunContext& context) {
  return with_number_type(context.input(0).dtype(), "X", [&]<typename T>() -> Result<Tensor> {
    Bounds<T> bounds;
    ASSAY_TRY(read_bound(context.input(1), "min", bounds.low));
    ASSAY_TRY(read_bound(context.input(2), "max", bounds.high));
    return clamp(context, bounds);
  });
}

}  // namespace

OperatorResult prepare_relu(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  return make_elementwise_operator(relu);
}

OperatorResult prepare_clip(const PrepareContext& context) {
  if (context.opset() >= 11) {
    ASSAY_TRY(check_arity(context, 1, 3));
    return make_elementwise_operator(clip_by_inputs);
  }
  return prepare_clip_by_attributes(context);
}

OperatorResult prepare_clip_by_attributes(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const Bounds<float> defaults;
  Bounds<float> bounds;
  bounds.low = context.node.float_attribute("min", defaults.low);
  bounds.high = context.node.float_attribute("max", defaults.high);
  return make_elementwise_operator([bounds](const RunContext& run) -> Result<Tensor> {
    ASSAY_TRY(check_type(run.input(0), "X", {DType::kFloat32}));
    return clamp(run, bounds);
  });
}

}  // namespace assay::runtime
