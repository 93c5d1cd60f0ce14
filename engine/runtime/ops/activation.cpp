// SPDX-License-Identifier: Apache-2.0
// LeakyRelu, Sigmoid, HardSwish, Tanh, Erf and Gelu on float32. The last three are computed in double and rounded once,
// so that the C library's variants for different CPUs give one result.
#include <cmath>
#include <numbers>
#include <string>

#include "engine/runtime/ops/element_loop.h"
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

template <typename F>
OperatorResult prepare_map(const PrepareContext& context, F f) {
  ASSAY_TRY(check_arity(context, 1, 1));
  return make_elementwise_operator([f](const RunContext& run) -> Result<Tensor> {
    ASSAY_TRY(check_type(run.input(0), "X", {DType::kFloat32}));
    return map_elements<float, float>(run, f);
  });
}

double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }

double gelu_by_tanh(double x) {
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

OperatorResult prepare_double(const PrepareContext& context, double (*f)(double)) {
  return prepare_map(context, [f](float x) { return static_cast<float>(f(static_cast<double>(x))); });
}

}  // namespace

OperatorResult prepare_leaky_relu(const PrepareContext& context) {
  const float alpha = context.node.float_attribute("alpha", 0.01F);
  return prepare_map(context, [alpha](float x) {
    const float scaled = alpha * x;
    return x < 0 ? scaled : x;
  });
}

OperatorResult prepare_sigmoid(const PrepareContext& context) {
  return prepare_map(context, [](float x) { return 1.0F / (1.0F + std::exp(-x)); });
}

OperatorResult prepare_hard_swish(const PrepareContext& context) {
  return prepare_map(context, [](float x) {
    const float gate = x * (1.0F / 6.0F) + 0.5F;
    const float low = gate < 0.0F ? 0.0F : gate;
    return x * (low > 1.0F ? 1.0F : low);
  });
}

OperatorResult prepare_tanh(const PrepareContext& context) {
  return prepare_double(context, [](double x) { return std::tanh(x); });
}

OperatorResult prepare_erf(const PrepareContext& context) {
  return prepare_double(context, [](double x) { return std::erf(x); });
}

OperatorResult prepare_gelu(const PrepareContext& context) {
  const std::string approximate = context.node.string_attribute("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    return invalid_model("approximate is 'none' or 'tanh'; found '" + approximate + "'");
  }
  return prepare_double(context, approximate == "tanh" ? gelu_by_tanh : gelu);
}

}  // namespace assay::runtime
