// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/constant_store.h"

#include <algorithm>

#include "engine/quantizer/eligibility.h"
#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

Result<Tensor> scaled(const Tensor& tensor, float factor) {
  if (factor == 1.0F) {
    return tensor;
  }
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(DType::kFloat32, tensor.shape()));
  const auto from = tensor.data<float>();
  std::transform(from.begin(), from.end(), out.mutable_data<float>().begin(), [&](float x) { return x * factor; });
  return out;
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

Result<NodeConstants> ConstantStore::constants_of(const Node& node, float x_scale) {
  const std::string& name = node.input(1);
  const float alpha = gemm_factor(node, "alpha");
  ASSAY_ASSIGN(const Tensor weight, scaled(*source_.constant(name), alpha));
  const TensorOverride* setting = find_override(options_, name);
  const Index axis = channel_axis(node, weight);
  ASSAY_ASSIGN(ChannelParams params,
               choose_weight_params(
                   {.name = name, .tensor = weight, .channel_axis = axis, .options = options_, .setting = setting}));
  NodeConstants constants;
  const bool has_bias = node.op_type != "MatMul" && !node.input(2).empty();
  if (!has_bias) {
    ASSAY_ASSIGN(constants.weight, store_weight(node, weight, params, alpha));
    return constants;
  }
  const float beta = gemm_factor(node, "beta");
  ASSAY_ASSIGN(const Tensor bias, scaled(*source_.constant(node.input(2)), beta));
  const std::vector<ChannelRange> channels = channel_ranges(weight, params.axis);
  const BiasArgs args{.bias = bias,
                      .x_scale = x_scale,
                      .channels = weight.dim(static_cast<std::size_t>(axis)),
                      .weight_channels = channels};
  if (setting == nullptr || !setting->scale) {
    params = fit_scales_to_bias(params, args);
  }
  ASSAY_ASSIGN(constants.weight, store_weight(node, weight, params, alpha));
  ASSAY_ASSIGN(constants.bias, store_bias(node, params, args, beta));
  return constants;
}

Result<ConstantNames> ConstantStore::activation_constant(const std::string& name, const QuantParams& params) {
  const ChannelParams all{
      .dtype = params.dtype, .axis = -1, .scales = {params.scale}, .zero_points = {params.zero_point}};
  if (const ConstantNames* found = find(name, 1.0F, all); found != nullptr) {
    return *found;
  }
  ASSAY_ASSIGN(Tensor data, quantize_tensor(*source_.constant(name), all));
  const ConstantNames names{.data = add(name + "_quantized", std::move(data)),
                            .scale = add(name + "_scale", scale_tensor(all)),
                            .zero_point = add(name + "_zero_point", zero_point_tensor(all))};
  stored_.push_back({.source = name, .factor = 1.0F, .params = all, .names = names});
  return names;
}

Result<ConstantNames> ConstantStore::store_weight(const Node& node, const Tensor& weight, const ChannelParams& params,
                                                  float factor) {
  const std::string& name = node.input(1);
  if (const ConstantNames* found = find(name, factor, params); found != nullptr) {
    return *found;
  }
  ASSAY_ASSIGN(Tensor data, quantize_tensor(weight, params));
  const ConstantNames names{.data = add(name + "_quantized", std::move(data)),
                            .scale = add(name + "_scale", scale_tensor(params)),
                            .zero_point = add(name + "_zero_point", zero_point_tensor(params)),
                            .axis = params.axis};
  reports_.push_back(report_of(name, weight, params));
  stored_.push_back({.source = name, .factor = factor, .params = params, .names = names});
  return names;
}

Result<ConstantNames> ConstantStore::store_bias(const Node& node, const ChannelParams& weights, const BiasArgs& args,
                                                float factor) {
  const std::string& name = node.input(2);
  ASSAY_ASSIGN(QuantizedBias bias, quantize_bias(weights, args));
  const ChannelParams params{.dtype = DType::kInt32,
                             .axis = weights.axis < 0 ? -1 : 0,
                             .scales = bias.scales,
                             .zero_points = std::vector<Index>(bias.scales.size(), 0)};
  if (const ConstantNames* found = find(name, factor, params); found != nullptr) {
    return *found;
  }
  if (bias.saturated > 0) {
    warnings_.push_back(short_text(node) + ": " + std::to_string(bias.saturated) + " of " +
                        std::to_string(bias.data.size()) + " values of bias '" + name +
                        "' do not fit into int32 with the weight scale that the override of '" + node.input(1) +
                        "' fixes, and are saturated");
  }
  const Shape shape = params.axis < 0 ? Shape{} : Shape{static_cast<Index>(params.count())};
  const std::vector<std::int32_t> zeros(params.count(), 0);
  const ConstantNames names{.data = add(name + "_quantized", std::move(bias.data)),
                            .scale = add(name + "_scale", scale_tensor(params)),
                            .zero_point = add(name + "_zero_point", Tensor::from<std::int32_t>(shape, zeros)),
                            .axis = params.axis};
  stored_.push_back({.source = name, .factor = factor, .params = params, .names = names});
  return names;
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
