// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/half_adapter.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "engine/base/block_vector.h"

namespace assay::runtime {
namespace {

// Operators whose float inputs may be of more than one type, as the standard has it: an exponent, scales, statistics,
// what a body takes. All others have one type for all.
constexpr std::array<std::string_view, 17> kOfSeveralTypes = {"Pow",
                                                              "Resize",
                                                              "Upsample",
                                                              "Dropout",
                                                              "BatchNormalization",
                                                              "GridSample",
                                                              "QuantizeLinear",
                                                              "DequantizeLinear",
                                                              "Loop",
                                                              "Scan",
                                                              "If",
                                                              "QAttention",
                                                              "DynamicQuantizeMatMul",
                                                              "MatMulIntegerToFloat",
                                                              "OneHot",
                                                              "Mod",
                                                              "CastLike"};

bool is_float(DType dtype) { return is_half(dtype) || dtype == DType::kFloat32 || dtype == DType::kFloat64; }

class ThroughFloat final : public Operator {
 public:
  ThroughFloat(std::unique_ptr<Operator> op, const Node& node, std::vector<Tensor> constants)
      : op_(std::move(op)),
        has_one_type_(std::ranges::find(kOfSeveralTypes, node.op_type) == kOfSeveralTypes.end()),
        constants_(std::move(constants)) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    const auto first = std::find_if(context.inputs.begin(), context.inputs.end(),
                                    [](const Tensor& tensor) { return is_half(tensor.dtype()); });
    if (first == context.inputs.end()) {
      return op_->run(context, outputs);
    }
    const DType half = first->dtype();
    ASSAY_TRY(check_one_type(context));
    BlockVector<Tensor> wide;
    wide.reserve(context.inputs.size());
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
      const Tensor& input = context.inputs[i];
      if (!is_half(input.dtype())) {
        wide.push_back(input);
      } else if (i < constants_.size() && !constants_[i].empty()) {
        wide.push_back(constants_[i]);
      } else {
        ASSAY_ASSIGN(Tensor converted, widen_half(input));
        wide.push_back(std::move(converted));
      }
    }
    RunContext inner = context;
    inner.inputs = wide;
    ASSAY_TRY(op_->run(inner, outputs));
    context.multiply_accumulates = inner.multiply_accumulates;
    for (Tensor& output : outputs) {
      if (output.dtype() == DType::kFloat32) {
        ASSAY_ASSIGN(output, narrow_to_half(output, half));
      }
    }
    return {};
  }
  // Blocks are float32; of the other inputs constants may be half.
  bool takes_blocks() const override { return constants_.empty() && op_->takes_blocks(); }
  bool makes_blocks() const override { return constants_.empty() && op_->makes_blocks(); }
  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const bool has_half =
        std::any_of(context.inputs.begin(), context.inputs.end(), [](const Tensor& x) { return is_half(x.dtype()); });
    return has_half ? Result<ChannelBlocks>(ChannelBlocks()) : op_->run_in_blocks(context);
  }
  KernelInfo kernel() const override { return op_->kernel(); }
  bool owns_output() const override { return op_->owns_output(); }
  bool saturates() const override { return op_->saturates(); }
  std::vector<KernelInfo> nested_kernels() const override { return op_->nested_kernels(); }

 private:
  Status check_one_type(const RunContext& context) const {
    const Tensor* first = nullptr;
    for (const Tensor& input : context.inputs) {
      if (!has_one_type_ || input.empty() || !is_float(input.dtype())) {
        continue;
      }
      first = first == nullptr ? &input : first;
      if (input.dtype() != first->dtype()) {
        return invalid_argument("the float inputs must be of one type; found " +
                                std::string(dtype_name(first->dtype())) + " and " +
                                std::string(dtype_name(input.dtype())));
      }
    }
    return {};
  }

  std::unique_ptr<Operator> op_;
  bool has_one_type_;
  std::vector<Tensor> constants_;  // half constants as float32, by input
};

}  // namespace

Result<Tensor> widen_half(const Tensor& tensor) {
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(DType::kFloat32, tensor.shape()));
  const auto* in = reinterpret_cast<const std::uint16_t*>(tensor.bytes());
  float* to = out.mutable_data<float>().data();
  const auto convert = tensor.dtype() == DType::kFloat16 ? float16_to_float : bfloat16_to_float;
  std::transform(in, in + tensor.size(), to, convert);
  return out;
}

Result<Tensor> narrow_to_half(const Tensor& tensor, DType half) {
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(half, tensor.shape()));
  const auto in = tensor.data<float>();
  const auto convert = half == DType::kFloat16 ? float_to_float16 : float_to_bfloat16;
  std::transform(in.begin(), in.end(), reinterpret_cast<std::uint16_t*>(out.mutable_bytes()), convert);
  return out;
}

Result<std::unique_ptr<Operator>> prepare_through_float(const OperatorRow& row, const PrepareContext& context) {
  Graph graph;  // what an operator may ask of its graph: opsets and constants, the half ones widened
  std::vector<Tensor> constants;
  bool has_half = false;
  for (std::size_t i = 0; i < context.node.inputs.size(); ++i) {
    const Tensor* constant = context.has_input(i) ? context.constant(i) : nullptr;
    constants.emplace_back();
    if (constant != nullptr && is_half(constant->dtype())) {
      ASSAY_ASSIGN(constants.back(), widen_half(*constant));
      has_half = true;
    }
    if (constant != nullptr) {
      graph.initializers[context.node.inputs[i]] = constants.back().empty() ? *constant : constants.back();
    }
  }
  if (!has_half) {
    ASSAY_ASSIGN(auto op, row.prepare(context));
    return std::unique_ptr<Operator>(
        std::make_unique<ThroughFloat>(std::move(op), context.node, std::vector<Tensor>()));
  }
  graph.opsets = context.graph.opsets;
  const PrepareContext widened{.graph = graph,
                               .node = context.node,
                               .profile = context.profile,
                               .features = context.features,
                               .threads = context.threads};
  ASSAY_ASSIGN(auto op, row.prepare(widened));
  return std::unique_ptr<Operator>(std::make_unique<ThroughFloat>(std::move(op), context.node, std::move(constants)));
}

}  // namespace assay::runtime
