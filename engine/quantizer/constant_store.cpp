// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/constant_store.h"

#include <algorithm>

#include "engine/quantizer/eligibility.h"
#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

// As float32, whatever the type, times a factor.
Result<Tensor> scaled(const Tensor& tensor, float factor) {
  if (factor == 1.0F && tensor.dtype() == DType::kFloat32) {
    return tensor;
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(DType::kFloat32, tensor.shape()));
  const std::vector<double> from = tensor.to_doubles();
  std::transform(from.begin(), from.end(), out.mutable_data<float>().begin(),
                 [&](double x) { return static_cast<float>(x) * factor; });
  return out;
}

// A float32 tensor as what the model has.
Result<Tensor> as_type(const Tensor& tensor, DType type) {
  if (type != DType::kFloat16) {
    return tensor;
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(type, tensor.shape()));
  const auto from = tensor.data<float>();
  std::transform(from.begin(), from.end(), reinterpret_cast<std::uint16_t*>(out.mutable_bytes()), float_to_float16);
  return out;
}

// The axis that a product sums over, for rank-2 weights; -1 otherwise.
Index block_axis(const Node& node, const Tensor& weight, std::size_t position) {
  if (weight.rank() != 2 || position != 1 || (node.op_type != "MatMul" && node.op_type != "Gemm")) {
    return -1;
  }
  return node.op_type == "Gemm" && node.int_attribute("transB", 0) != 0 ? 1 : 0;
}

float gemm_factor(const Node& node, const char* attribute) {
  return node.op_type == "Gemm" ? node.float_attribute(attribute, 1.0F) : 1.0F;
}

TensorReport report_of(const std::string& name, const Tensor& weight, const ChannelParams& params) {
  TensorReport report{.tensor = name,
                      .dtype = params.dtype,
                      .scales = {params.scales.begin(), params.scales.end()},
                      .zero_points = params.zero_points,
                      .axis = params.axis};
  const ValueRange range = channel_ranges(weight, -1)[0].range;
  report.min = range.min;
  report.max = range.max;
  return report;
}

}  // namespace

Result<NodeConstants> ConstantStore::constants_of(const StoreArgs& args) {
  const Node& node = args.node;
  NodeConstants constants;
  for (const std::size_t position : args.operands.weights) {
    const std::string& name = node.input(position);
    const float alpha = gemm_factor(node, "alpha");
    const Tensor& original = *source_.constant(name);
    ASSAY_ASSIGN(const Tensor weight, scaled(original, alpha));
    const TensorOverride* setting = find_override(options_, name);
    const Index axis = channel_axis(node, weight, position, options_);
    ASSAY_ASSIGN(ChannelParams params, choose_weight_params({.name = name,
                                                             .tensor = weight,
                                                             .channel_axis = axis,
                                                             .block_axis = block_axis(node, weight, position),
                                                             .scale_type = original.dtype(),
                                                             .options = options_,
                                                             .setting = setting}));
    if (!args.operands.bias) {
      ASSAY_ASSIGN(const ConstantNames names, reported_weight(name, weight, params, alpha));
      constants.weights.emplace_back(position, names);
      continue;
    }
    const float beta = gemm_factor(node, "beta");
    ASSAY_ASSIGN(const Tensor bias, scaled(*source_.constant(node.input(2)), beta));
    const std::vector<ChannelRange> channels = channel_ranges(weight, params.axis);
    const BiasArgs bias_args{.bias = bias,
                             .x_scale = args.x_scale,
                             .channels = output_channels(node, weight),
                             .weight_channels = channels,
                             .wide = is_16bit(options_.activation_type) || is_16bit(params.dtype)};
    const bool scales_are_given = setting != nullptr && (setting->scale || !setting->channels.empty());
    if (options_.bias_guard && !scales_are_given) {
      params = fit_scales_to_bias(params, bias_args);
    }
    ASSAY_ASSIGN(const ConstantNames names, reported_weight(name, weight, params, alpha));
    constants.weights.emplace_back(position, names);
    ASSAY_ASSIGN(constants.bias, store_bias(node, params, bias_args, beta));
  }
  return constants;
}

Result<ConstantNames> ConstantStore::activation_constant(const std::string& name, const QuantParams& params) {
  const ChannelParams all{.dtype = params.dtype,
                          .axis = -1,
                          .scales = {params.scale},
                          .zero_points = {params.zero_point},
                          .scale_type = params.scale_type};
  ASSAY_ASSIGN(const Tensor tensor, scaled(*source_.constant(name), 1.0F));
  return store_weight(name, tensor, all, 1.0F);
}

Result<ConstantNames> ConstantStore::store_weight(const std::string& name, const Tensor& weight,
                                                  const ChannelParams& params, float factor) {
  if (const ConstantNames* found = find(name, factor, params); found != nullptr) {
    return *found;
  }
  ConstantNames names;
  names.axis = params.axis;
  names.block = params.block;
  if (options_.weight_qdq && options_.format == Format::kQdq) {
    if (factor == 1.0F) {
      names.original = name;
      target_.initializers[name] = *source_.constant(name);
    } else {
      ASSAY_ASSIGN(Tensor product, as_type(weight, params.scale_type));
      names.original = add(name + "_scaled", std::move(product));
    }
  } else {
    ASSAY_ASSIGN(Tensor data, quantize_tensor(weight, params));
    names.data = add(name + "_quantized", std::move(data));
  }
  names.scale = add(name + "_scale", scale_tensor(params));
  names.zero_point = add(name + "_zero_point", zero_point_tensor(params));
  stored_.push_back({.source = name, .factor = factor, .params = params, .names = names});
  return names;
}

Result<ConstantNames> ConstantStore::reported_weight(const std::string& name, const Tensor& weight,
                                                     const ChannelParams& params, float factor) {
  if (find(name, factor, params) == nullptr) {
    reports_.push_back(report_of(name, weight, params));
  }
  return store_weight(name, weight, params, factor);
}

Result<std::optional<ConstantNames>> ConstantStore::store_bias(const Node& node, const ChannelParams& weights,
                                                               const BiasArgs& args, float factor) {
  const std::string& name = node.input(2);
  ASSAY_ASSIGN(QuantizedBias bias, quantize_bias(weights, args));
  const bool underflows = std::find(bias.scales.begin(), bias.scales.end(), 0.0F) != bias.scales.end();
  if (weights.scale_type == DType::kFloat16 && (underflows || bias.saturated > 0)) {
    warnings_.push_back(short_text(node) + ": bias '" + name + "' stays float: float16 cannot hold its scale");
    return std::optional<ConstantNames>();
  }
  const ChannelParams params{.dtype = DType::kInt32,
                             .axis = weights.axis < 0 ? -1 : 0,
                             .scales = bias.scales,
                             .zero_points = std::vector<Index>(bias.scales.size(), 0),
                             .scale_type = weights.scale_type};
  if (const ConstantNames* found = find(name, factor, params); found != nullptr) {
    return std::optional(*found);
  }
  if (bias.saturated > 0) {
    warnings_.push_back(short_text(node) + ": " + std::to_string(bias.saturated) + " of " +
                        std::to_string(bias.data.size()) + " values of bias '" + name +
                        "' do not fit into int32 with the weight scale that the override of '" + node.input(1) +
                        "' fixes, and are saturated");
  }
  const Shape shape = params.axis < 0 ? Shape{} : Shape{static_cast<Index>(params.count())};
  const std::vector<std::int32_t> zeros(params.count(), 0);
  ConstantNames names;
  names.data = add(name + "_quantized", std::move(bias.data));
  names.scale = add(name + "_quantized_scale", scale_tensor(params));
  names.zero_point = add(name + "_quantized_zero_point", Tensor::from<std::int32_t>(shape, zeros));
  names.axis = params.axis;
  stored_.push_back({.source = name, .factor = factor, .params = params, .names = names});
  return std::optional(std::move(names));
}

const ConstantNames* ConstantStore::find(const std::string& source, float factor, const ChannelParams& params) const {
  const auto found = std::find_if(stored_.begin(), stored_.end(), [&](const Stored& stored) {
    return stored.source == source && stored.factor == factor && stored.params == params;
  });
  return found == stored_.end() ? nullptr : &found->names;
}

std::string ConstantStore::add(const std::string& base, Tensor tensor) {
  std::string name = names_.make(base);
  target_.initializers[name] = std::move(tensor);
  return name;
}

}  // namespace assay::quantizer
