// SPDX-License-Identifier: Apache-2.0
// Functions of one 8-bit tensor as tables: com.microsoft.QLinearSigmoid, QLinearLeakyRelu, and QLinearConcat, whose
// parts keep their bytes where their scale and zero point are those of the output
// (kernels/elementwise/lookup.h has the formulas).
#include <algorithm>

#include "engine/kernels/elementwise/lookup.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kX, kXScale, kXZeroPoint, kYScale, kYZeroPoint };

constexpr Index kPiece = Index{1} << 14;

const std::uint8_t* raw(const Tensor& tensor) { return reinterpret_cast<const std::uint8_t*>(tensor.bytes()); }
std::uint8_t* raw(Tensor& tensor) { return reinterpret_cast<std::uint8_t*>(tensor.mutable_bytes()); }

struct Quantizer {
  const Tensor& scale;
  const Tensor& zero_point;
  const char* name;
};
Result<kernels::ByteQuantization> read_quantization(const Quantizer& quantizer, DType type) {
  const std::string name = quantizer.name;
  kernels::ByteQuantization out{.is_signed = type == DType::kInt8};
  ASSAY_ASSIGN(out.scale, read_scale(quantizer.scale, name + "_scale"));
  ASSAY_ASSIGN(out.zero_point, read_zero_point(quantizer.zero_point, type, name + "_zero_point"));
  return out;
}

template <typename F>
Result<Tensor> map_values(const RunContext& context, const kernels::LookupKernel& kernel, const F& f) {
  const Tensor& x = context.input(kX);
  ASSAY_TRY(expect_8bit(x, "X"));
  const Quantizer from{context.input(kXScale), context.input(kXZeroPoint), "X"};
  const Quantizer to{context.input(kYScale), context.input(kYZeroPoint), "Y"};
  ASSAY_ASSIGN(const kernels::ByteQuantization x_quantization, read_quantization(from, x.dtype()));
  ASSAY_ASSIGN(const kernels::ByteQuantization y_quantization, read_quantization(to, x.dtype()));
  kernels::ByteFloats values = kernels::lookup_values(x_quantization);
  std::transform(values.begin(), values.end(), values.begin(), f);
  const kernels::ByteTable table = kernels::lookup_table(values, y_quantization);
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
  std::uint8_t* out = raw(y);
  for_each_task((x.size() + kPiece - 1) / kPiece, context.threads, [&](Index piece, int) {
    const Index first = piece * kPiece;
    kernel.lookup(
        {.table = table.data(), .x = raw(x) + first, .count = std::min(kPiece, x.size() - first), .y = out + first});
  });
  return y;
}

enum ConcatInput : std::size_t { kConcatYScale, kConcatYZeroPoint, kParts };
constexpr std::size_t kPartInputs = 3;  // tensor, scale, zero point

bool same_parameters(const kernels::ByteQuantization& a, const kernels::ByteQuantization& b) {
  return a.scale == b.scale && a.zero_point == b.zero_point;
}

// The shape of the parts joined along `axis`.
Result<Shape> joined_shape(const RunContext& context, std::size_t axis) {
  const Tensor& first = context.input(kParts);
  Shape shape = first.shape();
  for (std::size_t i = kParts + kPartInputs; i < context.inputs.size(); i += kPartInputs) {
    const Tensor& part = context.input(i);
    ASSAY_TRY(expect_dtype(part, first.dtype(), "input " + std::to_string(i)));
    Shape aligned = part.shape();
    if (aligned.size() == shape.size()) {
      aligned[axis] = shape[axis];
    }
    if (aligned != shape) {
      return invalid_argument("input " + std::to_string(i) + " has the shape of input 2, " + shape_text(first.shape()) +
                              ", but for dimension " + std::to_string(axis) + "; found " + shape_text(part.shape()));
    }
    shape[axis] += part.dim(axis);
  }
  return shape;
}

Result<Tensor> concat(const RunContext& context, Index requested_axis, const kernels::LookupKernel& kernel) {
  const Tensor& first = context.input(kParts);
  ASSAY_TRY(expect_8bit(first, "input 2"));
  ASSAY_ASSIGN(const Index normal, normalize_axis(requested_axis, first.rank(), "axis"));
  const auto axis = static_cast<std::size_t>(normal);
  ASSAY_ASSIGN(const Shape shape, joined_shape(context, axis));
  const Quantizer to{context.input(kConcatYScale), context.input(kConcatYZeroPoint), "Y"};
  ASSAY_ASSIGN(const kernels::ByteQuantization y_quantization, read_quantization(to, first.dtype()));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(first.dtype(), shape));
  const AxisSplit split = split_at(shape, axis);
  Index offset = 0;
  for (std::size_t i = kParts; i < context.inputs.size(); i += kPartInputs) {
    const Tensor& part = context.input(i);
    const Quantizer from{context.input(i + 1), context.input(i + 2), "X"};
    ASSAY_ASSIGN(const kernels::ByteQuantization x_quantization, read_quantization(from, part.dtype()));
    const kernels::ByteTable table = kernels::lookup_table(kernels::lookup_values(x_quantization), y_quantization);
    const bool same = same_parameters(x_quantization, y_quantization);
    const Index run = part.dim(axis) * split.inner;
    for (Index o = 0; o < split.outer; ++o) {
      std::uint8_t* out = raw(y) + o * split.length * split.inner + offset;
      const std::uint8_t* in = raw(part) + o * run;
      if (same) {
        std::copy(in, in + run, out);
      } else {
        kernel.lookup({.table = table.data(), .x = in, .count = run, .y = out});
      }
    }
    offset += run;
  }
  return y;
}

}  // namespace

OperatorResult prepare_qlinear_sigmoid(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 5));
  const kernels::LookupChoice choice = kernels::choose_lookup(context.profile, context.features);
  return make_operator([choice](const RunContext& run) { return map_values(run, *choice.kernel, kernels::sigmoid); },
                       kernel_info(choice, context.profile, "float32"));
}

OperatorResult prepare_qlinear_leaky_relu(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 5));
  const float alpha = context.node.float_attribute("alpha", 0.01F);
  const kernels::LookupChoice choice = kernels::choose_lookup(context.profile, context.features);
  return make_operator(
      [alpha, choice](const RunContext& run) {
        return map_values(run, *choice.kernel, [alpha](float x) { return kernels::leaky_relu(x, alpha); });
      },
      kernel_info(choice, context.profile, "float32"));
}

OperatorResult prepare_qlinear_concat(const PrepareContext& context) {
  const std::size_t inputs = context.node.inputs.size();
  if (inputs < kParts + kPartInputs || (inputs - kParts) % kPartInputs != 0) {
    return invalid_model("the inputs are y_scale, y_zero_point and three for each part; found " +
                         std::to_string(inputs));
  }
  if (!context.node.has_attribute("axis")) {
    return invalid_model("axis is required");
  }
  const Index axis = context.node.int_attribute("axis", 0);
  const kernels::LookupChoice choice = kernels::choose_lookup(context.profile, context.features);
  return make_operator([axis, choice](const RunContext& run) { return concat(run, axis, *choice.kernel); },
                       kernel_info(choice, context.profile, "float32"));
}

}  // namespace assay::runtime
