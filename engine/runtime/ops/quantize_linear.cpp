// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear of float32 to 4-, 8- and 16-bit integers, per tensor, per axis or per block (kernels/linear has the
// formula).
#include "engine/kernels/linear/linear.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/quantized_axis.h"
#include "engine/runtime/quantized_blocks.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kX, kScale, kZeroPoint };

bool is_quantized_type(DType dtype) { return is_4bit(dtype) || is_8bit(dtype) || is_16bit(dtype); }

// The attribute output_dtype (a TensorProto type), kUndefined where it is absent.
Result<DType> read_output_type(const Node& node) {
  switch (const Index code = node.int_attribute("output_dtype", 0); code) {
    case 0:
      return DType::kUndefined;
    case 2:
      return DType::kUint8;
    case 3:
      return DType::kInt8;
    case 4:
      return DType::kUint16;
    case 5:
      return DType::kInt16;
    case 21:
      return DType::kUint4;
    case 22:
      return DType::kInt4;
    default:
      return unsupported("output_dtype is uint8 (2), int8 (3), uint16 (4), int16 (5), uint4 (21) or int4 (22); found " +
                         std::to_string(code));
  }
}

Result<DType> output_type_of(const Tensor& zero_point, DType attribute) {
  if (zero_point.empty()) {
    return attribute == DType::kUndefined ? DType::kUint8 : attribute;
  }
  if (!is_quantized_type(zero_point.dtype())) {
    return unsupported("y_zero_point is int4, uint4, int8, uint8, int16 or uint16; found " +
                       std::string(dtype_name(zero_point.dtype())));
  }
  if (attribute != DType::kUndefined && attribute != zero_point.dtype()) {
    return invalid_argument("y_zero_point has the type output_dtype, " + std::string(dtype_name(attribute)) +
                            "; found " + std::string(dtype_name(zero_point.dtype())));
  }
  return zero_point.dtype();
}

struct QuantizeOptions {
  Index axis = 1;
  Index block = 0;  // 0: no blocks
  DType output_type = DType::kUndefined;
};

Result<Tensor> quantize(const RunContext& context, const QuantizeOptions& options,
                        const kernels::LinearKernel& kernel) {
  const Tensor& x = context.input(kX);
  const Tensor& zero_point = context.input(kZeroPoint);
  ASSAY_TRY(expect_dtype(x, DType::kFloat32, "x"));
  ASSAY_ASSIGN(const DType y_type, output_type_of(zero_point, options.output_type));
  if (options.block > 0) {
    return quantize_blocks({.x = x,
                            .scale = context.input(kScale),
                            .zero_point = zero_point,
                            .axis = options.axis,
                            .block = options.block},
                           y_type);
  }
  ASSAY_ASSIGN(const AxisParams params, read_axis_params({.x = x,
                                                          .scale = context.input(kScale),
                                                          .zero_point = zero_point,
                                                          .zero_point_type = y_type,
                                                          .axis = options.axis}));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(y_type, x.shape()));
  const float* from = x.data<float>().data();
  std::byte* to = y.mutable_bytes();
  const auto item_bytes = static_cast<Index>(dtype_size_bytes(y_type));
  for_each_span(params, context.threads, [&](const AxisSpan& span) {
    quantize_span({.x = from + span.first,
                   .count = span.count,
                   .scale = params.scales[span.channel],
                   .zero_point = params.zero_points[span.channel],
                   .y_type = y_type,
                   .y = to + span.first * item_bytes},
                  kernel.quantize);
  });
  return y;
}

}  // namespace

OperatorResult prepare_quantize_linear(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 3));
  ASSAY_TRY(check_precision(context.node));
  ASSAY_ASSIGN(const DType output_type, read_output_type(context.node));
  const QuantizeOptions options{.axis = context.node.int_attribute("axis", 1),
                                .block = context.node.int_attribute("block_size", 0),
                                .output_type = output_type};
  const kernels::LinearChoice choice =
      options.block > 0 ? kernels::choose_linear({.isa = Isa::kScalar, .precision = context.profile.precision}, {})
                        : kernels::choose_linear(context.profile, context.features);
  return make_operator([options, choice](const RunContext& run) { return quantize(run, options, *choice.kernel); },
                       kernel_info(choice, context.profile, "float32"));
}

}  // namespace assay::runtime
