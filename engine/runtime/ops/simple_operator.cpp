// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/simple_operator.h"

#include <algorithm>

namespace assay::runtime {
namespace {

// The operand in blocks that is as large as the result: the others broadcast against it. Null where none is.
const ChannelBlocks* largest_in_blocks(const RunContext& context) {
  const ChannelBlocks* largest = nullptr;
  for (const ChannelBlocks& blocks : context.blocks) {
    if (!blocks.empty() && (largest == nullptr || blocks.data.size() > largest->data.size())) {
      largest = &blocks;
    }
  }
  return largest;
}

class SimpleOperator : public Operator {
 public:
  SimpleOperator(Function function, KernelInfo info, bool elementwise = false, bool owns_output = false)
      : function_(std::move(function)), info_(std::move(info)), elementwise_(elementwise), owns_output_(owns_output) {}

  bool takes_blocks() const override { return elementwise_; }

  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const ChannelBlocks& model = *largest_in_blocks(context);
    BlockVector<Tensor> operands;
    operands.reserve(context.inputs.size());
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
      std::optional<Tensor> operand = context.blocks[i].empty() ? broadcast_in_blocks(context.inputs[i], model)
                                                                : broadcast_in_blocks(context.blocks[i], model);
      if (!operand) {
        return ChannelBlocks();
      }
      operands.push_back(std::move(*operand));
    }
    RunContext inner{.inputs = operands, .dies = context.dies, .threads = context.threads};
    ChannelBlocks result{.shape = model.shape, .data = {}};
    ASSAY_ASSIGN(result.data, function_(inner));
    if (result.data.dtype() != DType::kFloat32 || result.data.shape() != model.data.shape()) {
      return ChannelBlocks();
    }
    clear_padding(result);
    return result;
  }

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(Tensor output, function_(context));
    if (output.dtype() != last_type_ && info_.arithmetic != "move") {
      last_type_ = output.dtype();
      const bool is_float = last_type_ == DType::kFloat32 || last_type_ == DType::kFloat64;
      info_.arithmetic = is_float ? std::string(dtype_name(last_type_)) : "exact";
    }
    outputs.push_back(std::move(output));
    return {};
  }
  KernelInfo kernel() const override { return info_; }
  bool owns_output() const override { return owns_output_; }

 private:
  Function function_;
  KernelInfo info_;
  bool elementwise_;
  bool owns_output_;
  DType last_type_ = DType::kUndefined;
};

}  // namespace

KernelInfo plain_kernel(const std::string& arithmetic, const std::string& kernel) {
  KernelInfo info;
  info.kernel = kernel;
  info.isa = isa_name(Isa::kScalar);
  info.arithmetic = arithmetic;
  return info;
}

OperatorResult make_operator(Function function, const std::string& arithmetic, const std::string& kernel) {
  return make_operator(std::move(function), plain_kernel(arithmetic, kernel));
}

OperatorResult make_elementwise_operator(Function function, bool owns_output) {
  return std::unique_ptr<Operator>(
      std::make_unique<SimpleOperator>(std::move(function), plain_kernel("float32"), true, owns_output));
}

OperatorResult make_operator(Function function, KernelInfo info) {
  return std::unique_ptr<Operator>(std::make_unique<SimpleOperator>(std::move(function), std::move(info)));
}

Status check_arity(const PrepareContext& context, std::size_t least, std::size_t most) {
  const Node& node = context.node;
  if (node.inputs.size() > most) {
    return invalid_model("at most " + std::to_string(most) + " inputs are allowed; found " +
                         std::to_string(node.inputs.size()));
  }
  for (std::size_t i = 0; i < least; ++i) {
    if (!context.has_input(i)) {
      return invalid_model("input " + std::to_string(i) + " is missing; the first " + std::to_string(least) +
                           " are required");
    }
  }
  for (std::size_t i = 1; i < node.outputs.size(); ++i) {
    if (!node.outputs[i].empty()) {
      return unsupported("output " + std::to_string(i) + " ('" + node.outputs[i] +
                         "') is not computed; only output 0 is");
    }
  }
  return {};
}

Status check_type(const Tensor& tensor, const char* operand, std::initializer_list<DType> types) {
  if (std::find(types.begin(), types.end(), tensor.dtype()) != types.end()) {
    return {};
  }
  std::string names;
  for (const DType type : types) {
    names += (names.empty() ? "" : ", ") + std::string(dtype_name(type));
  }
  return unsupported(std::string(operand) + " must have one of the types " + names + "; found " +
                     std::string(dtype_name(tensor.dtype())));
}

Status check_rank(const Tensor& tensor, const char* operand, std::size_t rank) {
  if (tensor.rank() == rank) {
    return {};
  }
  return invalid_argument(std::string(operand) + " must have rank " + std::to_string(rank) + "; found " +
                          shape_text(tensor.shape()));
}

Result<IndexList> index_list(const Tensor& tensor, const char* operand) {
  ASSAY_TRY(check_type(tensor, operand, {DType::kInt64, DType::kInt32}));
  if (tensor.rank() > 1) {
    return invalid_argument(std::string(operand) + " must be a list; found the shape " + shape_text(tensor.shape()));
  }
  const auto list_of = [](const auto& elements) { return IndexList(elements.begin(), elements.end()); };
  return tensor.dtype() == DType::kInt32 ? list_of(tensor.data<std::int32_t>()) : list_of(tensor.data<Index>());
}

Result<IndexList> normalize_axes(const IndexList& axes, std::size_t rank) {
  IndexList out;
  for (const Index axis : axes) {
    ASSAY_ASSIGN(const Index normal, normalize_axis(axis, rank, "axes"));
    if (std::find(out.begin(), out.end(), normal) != out.end()) {
      return invalid_argument("axes names dimension " + std::to_string(normal) + " twice: " + shape_text(axes));
    }
    out.push_back(normal);
  }
  return out;
}

Index dims_product(const Shape& shape, std::size_t begin, std::size_t end) {
  Index product = 1;
  for (std::size_t i = begin; i < end; ++i) {
    product *= shape[i];
  }
  return product;
}

AxisSplit split_at(const Shape& shape, std::size_t axis) {
  return {.outer = dims_product(shape, 0, axis),
          .length = shape[axis],
          .inner = dims_product(shape, axis + 1, shape.size())};
}

}  // namespace assay::runtime
