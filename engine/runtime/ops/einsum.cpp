// SPDX-License-Identifier: Apache-2.0
// Einsum: the sum of products over the labels that the output lacks. Two float32 operands are brought into the form of
// a batched matrix product, which oneDNN computes; all else is computed by plain loops in the type's accumulator.
#include <algorithm>
#include <optional>

#include "engine/runtime/float_product.h"
#include "engine/runtime/ops/einsum_equation.h"
#include "engine/runtime/ops/layer_operators.h"
#include "engine/runtime/ops/strided.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

using Labels = std::vector<std::size_t>;

bool contains(const Labels& labels, std::size_t label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool has_repeats(Labels labels) {
  std::sort(labels.begin(), labels.end());
  return std::adjacent_find(labels.begin(), labels.end()) != labels.end();
}

// Strides of a tensor by label; a dimension of 1 is repeated, a label that stands twice walks the diagonal.
Strides strides_by_label(const Tensor& tensor, const Labels& labels, std::size_t count) {
  Strides out(count, 0);
  const Strides own = contiguous_strides(tensor.shape());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out[labels[i]] += tensor.dim(i) == 1 ? 0 : own[i];
  }
  return out;
}

Shape sizes_of(const EinsumPlan& plan, const Labels& labels) {
  Shape shape;
  for (const std::size_t label : labels) {
    shape.push_back(plan.sizes[label]);
  }
  return shape;
}

Strides select(const Strides& strides, const Labels& labels) {
  Strides out;
  for (const std::size_t label : labels) {
    out.push_back(strides[label]);
  }
  return out;
}

// Sums products of any number of operands: outputs outside, summed labels inside.
template <typename T>
Result<Tensor> sum_products(const RunContext& context, const EinsumPlan& plan) {
  using Acc = std::conditional_t<std::is_floating_point_v<T>, double, Wrapping<T>>;
  Labels walked = plan.output;
  for (std::size_t label = 0; label < plan.sizes.size(); ++label) {
    if (!contains(walked, label)) {
      walked.push_back(label);
    }
  }
  const Shape shape = sizes_of(plan, walked);
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(DTypeOf<T>::value, sizes_of(plan, plan.output)));
  std::vector<Strides> strides;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    strides.push_back(select(strides_by_label(context.inputs[i], plan.inputs[i], plan.sizes.size()), walked));
  }
  ASSAY_ASSIGN(const Index total, element_count(shape));
  const Index summed = dims_product(shape, plan.output.size(), shape.size());
  std::vector<Index> position(shape.size(), 0);
  std::vector<Index> offsets(strides.size(), 0);
  Acc sum = 0;
  Index done = 0;
  T* to = out.mutable_data<T>().data();
  for (Index step = 0; step < total; ++step) {
    Acc product = 1;
    for (std::size_t i = 0; i < strides.size(); ++i) {
      product *= static_cast<Acc>(context.inputs[i].data<T>()[static_cast<std::size_t>(offsets[i])]);
    }
    sum += product;
    if (++done == summed) {
      *to++ = static_cast<T>(sum);
      sum = 0;
      done = 0;
    }
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const bool runs = ++position[axis] < shape[axis];
      for (std::size_t i = 0; i < strides.size(); ++i) {
        offsets[i] += runs ? strides[i][axis] : -strides[i][axis] * (shape[axis] - 1);
      }
      if (runs) {
        break;
      }
      position[axis] = 0;
    }
  }
  return out;
}

// A tensor read in the order of `labels`, contiguous.
Result<Tensor> arranged(const Tensor& tensor, const Labels& own, const EinsumPlan& plan, const Labels& labels) {
  if (own == labels && tensor.shape() == sizes_of(plan, labels)) {
    return tensor;
  }
  const Shape shape = sizes_of(plan, labels);
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(DType::kFloat32, shape));
  const float* from = tensor.data<float>().data();
  float* to = out.mutable_data<float>().data();
  const std::array<Strides, 1> strides = {select(strides_by_label(tensor, own, plan.sizes.size()), labels)};
  for_each_row<1>(shape, strides, [&](const auto& offsets, Index count, const auto& steps) {
    for (Index i = 0; i < count; ++i) {
      *to++ = from[offsets[0] + i * steps[0]];
    }
  });
  return out;
}

// How two operands make a batched product: labels of both and the output, of one and the output, of both alone.
struct ProductLabels {
  Labels batch;
  Labels rows;
  Labels columns;
  Labels inner;
};

std::optional<ProductLabels> as_product(const EinsumPlan& plan) {
  if (plan.inputs.size() != 2 || has_repeats(plan.inputs[0]) || has_repeats(plan.inputs[1]) ||
      has_repeats(plan.output)) {
    return std::nullopt;
  }
  ProductLabels out;
  for (std::size_t label = 0; label < plan.sizes.size(); ++label) {
    const bool in_a = contains(plan.inputs[0], label);
    const bool in_b = contains(plan.inputs[1], label);
    const bool in_output = contains(plan.output, label);
    if (in_output) {
      (in_a && in_b ? out.batch : in_a ? out.rows : out.columns).push_back(label);
    } else if (in_a && in_b) {
      out.inner.push_back(label);
    } else {
      return std::nullopt;  // a sum over one operand alone
    }
  }
  return out;
}

Labels joined(const Labels& a, const Labels& b, const Labels& c) {
  Labels out = a;
  out.insert(out.end(), b.begin(), b.end());
  out.insert(out.end(), c.begin(), c.end());
  return out;
}

Index product_of(const EinsumPlan& plan, const Labels& labels) {
  const Shape shape = sizes_of(plan, labels);
  return dims_product(shape, 0, shape.size());
}

class Einsum final : public Operator {
 public:
  explicit Einsum(EinsumEquation equation) : equation_(std::move(equation)), product_(1.0F, false) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    std::vector<Shape> shapes;
    const DType dtype = context.input(0).dtype();
    bool has_elements = true;
    for (const Tensor& input : context.inputs) {
      if (input.dtype() != dtype) {
        return invalid_argument("the operands must have one type; found " + std::string(dtype_name(dtype)) + " and " +
                                std::string(dtype_name(input.dtype())));
      }
      shapes.push_back(input.shape());
      has_elements = has_elements && input.size() > 0;
    }
    ASSAY_ASSIGN(const EinsumPlan plan, plan_einsum(equation_, shapes));
    const std::optional<ProductLabels> labels = as_product(plan);
    if (labels.has_value() && dtype == DType::kFloat32 && has_elements) {
      ASSAY_ASSIGN(Tensor y, multiply(context, plan, *labels));
      outputs.push_back(std::move(y));
      return {};
    }
    ASSAY_ASSIGN(Tensor y, with_type(NumberTypes(), dtype, "an operand",
                                     [&]<typename T>() { return sum_products<T>(context, plan); }));
    outputs.push_back(std::move(y));
    return {};
  }
  KernelInfo kernel() const override { return product_.kernel(); }

 private:
  Result<Tensor> multiply(RunContext& context, const EinsumPlan& plan, const ProductLabels& labels) {
    ASSAY_ASSIGN(const Tensor a,
                 arranged(context.input(0), plan.inputs[0], plan, joined(labels.batch, labels.rows, labels.inner)));
    ASSAY_ASSIGN(const Tensor b,
                 arranged(context.input(1), plan.inputs[1], plan, joined(labels.batch, labels.inner, labels.columns)));
    const Labels made = joined(labels.batch, labels.rows, labels.columns);
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, sizes_of(plan, made)));
    const Index batch = product_of(plan, labels.batch);
    const Index m = product_of(plan, labels.rows);
    const Index n = product_of(plan, labels.columns);
    const Index k = product_of(plan, labels.inner);
    ASSAY_TRY(product_.run({.a = matrix_operand({batch, m, k}, false, a.data<float>().data()),
                            .b = matrix_operand({batch, k, n}, false, b.data<float>().data()),
                            .y = y.mutable_data<float>().data(),
                            .y_dims = {batch, m, n}}));
    context.multiply_accumulates = batch * m * n * k;
    return arranged(y, made, plan, plan.output);
  }

  EinsumEquation equation_;
  FloatProduct product_;
};

}  // namespace

OperatorResult prepare_einsum(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, context.node.inputs.size(), context.node.inputs.size()));
  ASSAY_ASSIGN(EinsumEquation equation, parse_einsum(context.node.string_attribute("equation", "")));
  return onednn::call(
      [&]() -> OperatorResult { return OperatorResult(std::make_unique<Einsum>(std::move(equation))); });
}

}  // namespace assay::runtime
