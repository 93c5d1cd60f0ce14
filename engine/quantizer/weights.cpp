// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/weights.h"

#include <algorithm>

namespace assay::quantizer {
namespace {

// How elements map to channels: element i belongs to channel (i / inner) % channels.
struct ChannelLayout {
  Index channels = 1;
  Index inner = 1;
  std::size_t channel_of(std::size_t i) const {
    return static_cast<std::size_t>((static_cast<Index>(i) / inner) % channels);
  }
};

ChannelLayout layout_of(const Tensor& tensor, Index axis) {
  if (axis < 0) {
    return {.channels = 1, .inner = std::max<Index>(tensor.size(), 1)};
  }
  ChannelLayout layout{.channels = tensor.dim(static_cast<std::size_t>(axis)), .inner = 1};
  for (std::size_t d = static_cast<std::size_t>(axis) + 1; d < tensor.rank(); ++d) {
    layout.inner *= tensor.dim(d);
  }
  return layout;
}

template <typename T>
Tensor integers(const Shape& shape, const std::vector<Index>& values) {
  std::vector<T> typed;
  typed.reserve(values.size());
  for (const Index value : values) {
    typed.push_back(static_cast<T>(value));
  }
  return Tensor::from<T>(shape, typed);
}

Tensor integers_of(DType dtype, const Shape& shape, const std::vector<Index>& values) {
  return dtype == DType::kInt8 ? integers<std::int8_t>(shape, values) : integers<std::uint8_t>(shape, values);
}

template <typename T>
void quantize_into(const Tensor& tensor, const ChannelParams& params, Tensor& out) {
  const ChannelLayout layout = layout_of(tensor, params.axis);
  const auto from = tensor.data<float>();
  const auto to = out.mutable_data<T>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<T>(quantize_value(from[i], params.channel(layout.channel_of(i))));
  }
}

}  // namespace

std::vector<ChannelRange> channel_ranges(const Tensor& tensor, Index axis) {
  const ChannelLayout layout = layout_of(tensor, axis);
  std::vector<ChannelRange> ranges(static_cast<std::size_t>(layout.channels));
  std::vector<bool> seen(ranges.size(), false);
  const auto values = tensor.data<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = layout.channel_of(i);
    const auto value = static_cast<double>(values[i]);
    ValueRange& range = ranges[c].range;
    range.min = seen[c] ? std::min(range.min, value) : value;
    range.max = seen[c] ? std::max(range.max, value) : value;
    ranges[c].all_zero = ranges[c].all_zero && value == 0;
    seen[c] = true;
  }
  return ranges;
}

Result<ChannelParams> choose_weight_params(const WeightArgs& args) {
  const TensorOverride* setting = args.setting;
  Index axis = args.options.per_channel ? args.channel_axis : -1;
  if (setting != nullptr && setting->axis) {
    ASSAY_ASSIGN(axis,
                 normalize_axis(*setting->axis, args.tensor.rank(), "quantizer.overrides for '" + args.name + "'"));
    if (axis != args.channel_axis) {
      return invalid_argument("quantizer.overrides for '" + args.name + "': axis " + std::to_string(axis) +
                              " is not the axis of the output channels (" + std::to_string(args.channel_axis) + ")");
    }
  } else if (setting != nullptr && setting->scale) {
    axis = -1;  // one scale is given for all
  }
  const RangeScheme scheme = overridden_scheme({.dtype = args.options.weight_type,
                                                .symmetric = args.options.weight_symmetric,
                                                .range = args.options.weight_range,
                                                .reduce_range = args.options.reduce_range},
                                               setting);
  ChannelParams params{.dtype = scheme.dtype, .axis = axis, .scales = {}, .zero_points = {}};
  for (const ChannelRange& channel : channel_ranges(args.tensor, axis)) {
    ASSAY_ASSIGN(const QuantParams chosen, overridden_params(args.name, channel.range, scheme, setting));
    params.scales.push_back(chosen.scale);
    params.zero_points.push_back(chosen.zero_point);
  }
  return params;
}

Result<Tensor> quantize_tensor(const Tensor& tensor, const ChannelParams& params) {
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(params.dtype, tensor.shape()));
  if (params.dtype == DType::kInt8) {
    quantize_into<std::int8_t>(tensor, params, out);
  } else {
    quantize_into<std::uint8_t>(tensor, params, out);
  }
  return out;
}

Tensor scale_tensor(const ChannelParams& params) {
  const Shape shape = params.axis < 0 ? Shape{} : Shape{static_cast<Index>(params.count())};
  return Tensor::from<float>(shape, params.scales);
}

Tensor zero_point_tensor(const ChannelParams& params) {
  const Shape shape = params.axis < 0 ? Shape{} : Shape{static_cast<Index>(params.count())};
  return integers_of(params.dtype, shape, params.zero_points);
}

Tensor integer_scalar(DType dtype, Index value) { return integers_of(dtype, {}, {value}); }

}  // namespace assay::quantizer
