// SPDX-License-Identifier: Apache-2.0
// com.microsoft's fused float operators, each as the operators it stands for: FusedConv (see fused_conv.cpp),
// FusedGemm, FusedMatMul, BiasGelu, FastGelu.
#include "engine/runtime/ops/composed.h"
#include "engine/runtime/ops/contributed_operators.h"
#include "engine/runtime/ops/elementwise_operators.h"
#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/ops/strided.h"

namespace assay::runtime {
namespace {

// Core operator on the first inputs, then an addend if the node has one, then an activation.
class Fused final : public Operator {
 public:
  struct Parts {
    Part core;
    std::size_t core_inputs = 1;
    Part add;         // null: none
    Part activation;  // null: none
  };
  explicit Fused(Parts parts) : parts_(std::move(parts)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(Tensor y,
                 parts_.core.run(context, context.inputs.first(std::min(parts_.core_inputs, context.inputs.size()))));
    if (parts_.add && !context.input(parts_.core_inputs).empty()) {
      ASSAY_ASSIGN(y, parts_.add.run(context, {y, context.input(parts_.core_inputs)}));
    }
    if (parts_.activation) {
      ASSAY_ASSIGN(y, parts_.activation.run(context, {y}));
    }
    outputs.push_back(std::move(y));
    return {};
  }
  KernelInfo kernel() const override { return parts_.core.op().kernel(); }

 private:
  Parts parts_;
};

// The node's attributes without those of the fusion.
AttributeMap core_attributes(const Node& node, std::initializer_list<const char*> dropped) {
  AttributeMap attributes = node.attributes;
  for (const char* name : dropped) {
    attributes.erase(name);
  }
  return attributes;
}

std::vector<float> floats_attribute(const Node& node, const std::string& key) {
  const auto found = node.attributes.find(key);
  const auto* values = found == node.attributes.end() ? nullptr : std::get_if<std::vector<float>>(&found->second);
  return values == nullptr ? std::vector<float>() : *values;
}

std::vector<std::string> first_inputs(const Node& node, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(node.input(i));
  }
  return names;
}

// The tensor with its last two dimensions exchanged.
Result<Tensor> transposed(const Tensor& tensor) {
  ASSAY_TRY(check_type(tensor, "A and B", {DType::kFloat32}));
  if (tensor.rank() < 2) {
    return tensor;
  }
  Shape shape = tensor.shape();
  std::array<Strides, 1> strides = {contiguous_strides(shape)};
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  std::swap(strides[0][shape.size() - 1], strides[0][shape.size() - 2]);
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(DType::kFloat32, shape));
  const float* from = tensor.data<float>().data();
  float* to = out.mutable_data<float>().data();
  for_each_row<1>(shape, strides, [&](const auto& offsets, Index count, const auto& steps) {
    for (Index i = 0; i < count; ++i) {
      *to++ = from[offsets[0] + i * steps[0]];
    }
  });
  return out;
}

class FusedMatMul final : public Operator {
 public:
  FusedMatMul(Part product, const Node& node)
      : product_(std::move(product)),
        alpha_(node.float_attribute("alpha", 1.0F)),
        transposes_a_(node.int_attribute("transA", 0) != 0),
        transposes_b_(node.int_attribute("transB", 0) != 0) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    Tensor a = context.input(0);
    Tensor b = context.input(1);
    if (transposes_a_) {
      ASSAY_ASSIGN(a, transposed(a));
    }
    if (transposes_b_) {
      ASSAY_ASSIGN(b, transposed(b));
    }
    ASSAY_ASSIGN(Tensor y, product_.run(context, {a, b}));
    if (alpha_ != 1.0F) {
      for (float& value : y.mutable_data<float>()) {
        value *= alpha_;
      }
    }
    outputs.push_back(std::move(y));
    return {};
  }
  KernelInfo kernel() const override { return product_.op().kernel(); }

 private:
  Part product_;
  float alpha_;
  bool transposes_a_;
  bool transposes_b_;
};

}  // namespace

OperatorResult prepare_composed_conv(const PrepareContext& context) {
  const Node& node = context.node;
  Fused::Parts parts;
  ASSAY_ASSIGN(parts.core, prepare_part(context,
                                        {.op_type = "Conv",
                                         .inputs = first_inputs(node, 3),
                                         .attributes = core_attributes(node, {"activation", "activation_params"})},
                                        prepare_any_conv));
  parts.core_inputs = 3;
  ASSAY_ASSIGN(parts.add, prepare_part(context, {.op_type = "Add", .inputs = {"y", "z"}}, prepare_add));
  ASSAY_ASSIGN(parts.activation, prepare_activation(context, node.string_attribute("activation", ""),
                                                    floats_attribute(node, "activation_params")));
  return OperatorResult(std::make_unique<Fused>(std::move(parts)));
}

OperatorResult prepare_fused_gemm(const PrepareContext& context) {
  const Node& node = context.node;
  Fused::Parts parts;
  ASSAY_ASSIGN(parts.core, prepare_part(context,
                                        {.op_type = "Gemm",
                                         .inputs = first_inputs(node, 3),
                                         .attributes = core_attributes(node, {"activation", "activation_alpha",
                                                                              "activation_beta", "activation_gamma"})},
                                        prepare_gemm));
  parts.core_inputs = 3;
  std::vector<float> parameters;
  for (const char* key : {"activation_alpha", "activation_beta"}) {
    if (node.has_attribute(key)) {
      parameters.push_back(node.float_attribute(key, 0));
    }
  }
  ASSAY_ASSIGN(parts.activation, prepare_activation(context, node.string_attribute("activation", ""), parameters));
  return OperatorResult(std::make_unique<Fused>(std::move(parts)));
}

OperatorResult prepare_fused_matmul(const PrepareContext& context) {
  const Node& node = context.node;
  if (node.int_attribute("transBatchA", 0) != 0 || node.int_attribute("transBatchB", 0) != 0) {
    return unsupported("transBatchA and transBatchB are not supported");
  }
  // A transposed B is made anew in every run, so it is no constant to the product.
  const bool transposes_b = node.int_attribute("transB", 0) != 0;
  ASSAY_ASSIGN(
      auto product,
      prepare_part(context, {.op_type = "MatMul", .inputs = {node.input(0), transposes_b ? "b" : node.input(1)}},
                   prepare_matmul));
  return OperatorResult(std::make_unique<FusedMatMul>(std::move(product), node));
}

namespace {

OperatorResult prepare_biased(const PrepareContext& context, OperatorFactory activation) {
  ASSAY_TRY(check_arity(context, 1, 2));
  Fused::Parts parts;
  ASSAY_ASSIGN(parts.core, prepare_part(context, {.op_type = "Identity", .inputs = {"x"}}, prepare_identity));
  ASSAY_ASSIGN(parts.add, prepare_part(context, {.op_type = "Add", .inputs = {"x", "bias"}}, prepare_add));
  ASSAY_ASSIGN(parts.activation, prepare_part(context, {.op_type = "Gelu", .inputs = {"x"}}, activation));
  return OperatorResult(std::make_unique<Fused>(std::move(parts)));
}

}  // namespace

OperatorResult prepare_bias_gelu(const PrepareContext& context) { return prepare_biased(context, prepare_gelu); }
OperatorResult prepare_fast_gelu(const PrepareContext& context) { return prepare_biased(context, prepare_tanh_gelu); }

}  // namespace assay::runtime
