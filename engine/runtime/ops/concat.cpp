// SPDX-License-Identifier: Apache-2.0
// Concat along one axis, any element type.
#include <limits>

#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

Status check_part(const Tensor& first, const Tensor& part, std::size_t axis, std::size_t position) {
  const std::string name = "input " + std::to_string(position);
  if (part.dtype() != first.dtype()) {
    return invalid_argument(name + " must have the type of input 0, " + std::string(dtype_name(first.dtype())) +
                            "; found " + std::string(dtype_name(part.dtype())));
  }
  bool fits = part.rank() == first.rank();
  for (std::size_t i = 0; fits && i < first.rank(); ++i) {
    fits = i == axis || part.dim(i) == first.dim(i);
  }
  if (!fits) {
    return invalid_argument(name + " must have the shape of input 0, " + shape_text(first.shape()) +
                            ", but for dimension " + std::to_string(axis) + "; found " + shape_text(part.shape()));
  }
  return {};
}

Result<Tensor> concat(const RunContext& context, Index requested_axis) {
  const Tensor& first = context.input(0);
  ASSAY_ASSIGN(const Index normal, normalize_axis(requested_axis, first.rank(), "axis"));
  const auto axis = static_cast<std::size_t>(normal);
  Shape shape = first.shape();
  shape[axis] = 0;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    ASSAY_TRY(check_part(first, context.inputs[i], axis, i));
    shape[axis] += context.inputs[i].dim(axis);
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(first.dtype(), std::move(shape)));
  if (out.size() == 0) {
    return out;
  }
  const AxisSplit split = split_at(out.shape(), axis);
  const std::size_t inner_bytes = static_cast<std::size_t>(split.inner) * dtype_size_bytes(out.dtype());
  const std::size_t row_bytes = static_cast<std::size_t>(split.length) * inner_bytes;
  std::size_t offset = 0;
  for (const Tensor& part : context.inputs) {
    const std::size_t part_bytes = static_cast<std::size_t>(part.dim(axis)) * inner_bytes;
    for (Index o = 0; o < split.outer && part_bytes > 0; ++o) {
      const auto row = static_cast<std::size_t>(o);
      std::memcpy(out.mutable_bytes() + row * row_bytes + offset, part.bytes() + row * part_bytes, part_bytes);
    }
    offset += part_bytes;
  }
  return out;
}

class Concat final : public Operator {
 public:
  explicit Concat(Index axis) : axis_(axis) {}

  Status run(RunContext& context, std::vector<Tensor>& outputs) override {
    ASSAY_ASSIGN(Tensor y, concat(context, axis_));
    outputs.push_back(std::move(y));
    return {};
  }

  bool takes_blocks() const override { return true; }

  // Along the channels, where whole blocks follow one another.
  Result<ChannelBlocks> run_in_blocks(RunContext& context) override {
    const ChannelBlocks& first = context.blocks[0];
    const auto rank = static_cast<Index>(first.shape.size());
    if (first.empty() || (axis_ != 1 && axis_ != 1 - rank)) {
      return ChannelBlocks();
    }
    Shape shape = first.shape;
    shape[1] = 0;
    for (const ChannelBlocks& part : context.blocks) {
      Shape like_first = part.shape;
      if (part.empty() || part.block() != first.block() || part.padding() != 0 ||
          part.shape.size() != first.shape.size()) {
        return ChannelBlocks();
      }
      like_first[1] = first.shape[1];
      if (like_first != first.shape) {
        return ChannelBlocks();
      }
      shape[1] += part.shape[1];
    }
    ASSAY_ASSIGN(ChannelBlocks y, allocate_blocks(std::move(shape), first.block()));
    std::byte* out = y.data.mutable_bytes();
    for (Index image = 0; image < y.shape[0]; ++image) {
      for (const ChannelBlocks& part : context.blocks) {
        const std::size_t bytes = part.data.size_bytes() / static_cast<std::size_t>(part.shape[0]);
        std::memcpy(out, part.data.bytes() + static_cast<std::size_t>(image) * bytes, bytes);
        out += bytes;
      }
    }
    return y;
  }

  KernelInfo kernel() const override { return plain_kernel("move"); }

 private:
  Index axis_;
};

}  // namespace

OperatorResult prepare_concat(const PrepareContext& context) {
  const std::size_t count = context.node.inputs.size();
  if (count == 0) {
    return invalid_model("at least one input is required; found none");
  }
  ASSAY_TRY(check_arity(context, count, count));
  if (!context.node.has_attribute("axis")) {
    return invalid_model("the attribute axis is missing");
  }
  const Index axis = context.node.int_attribute("axis", 0);
  return OperatorResult(std::make_unique<Concat>(axis));
}

}  // namespace assay::runtime
