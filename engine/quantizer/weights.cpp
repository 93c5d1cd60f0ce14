// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/weights.h"

#include <algorithm>
#include <cstring>

namespace assay::quantizer {
namespace {

// How elements map to channels: an element is [outer, channel, inner]; with blocks, a channel is a block at one inner
// position.
struct ChannelLayout {
  Index channels = 1;
  Index inner = 1;
  Index block = 0;
  std::size_t channel_of(std::size_t i) const {
    const auto position = static_cast<Index>(i);
    const Index along = (position / inner) % channels;
    if (block == 0) {
      return static_cast<std::size_t>(along);
    }
    const Index outer = position / inner / channels;
    return static_cast<std::size_t>((outer * blocks() + along / block) * inner + position % inner);
  }
  Index blocks() const { return block == 0 ? 0 : (channels + block - 1) / block; }
};

ChannelLayout layout_of(const Tensor& tensor, Index axis, Index block) {
  if (axis < 0) {
    return {.channels = 1, .inner = std::max<Index>(tensor.size(), 1), .block = 0};
  }
  ChannelLayout layout{.channels = tensor.dim(static_cast<std::size_t>(axis)), .inner = 1, .block = block};
  for (std::size_t d = static_cast<std::size_t>(axis) + 1; d < tensor.rank(); ++d) {
    layout.inner *= tensor.dim(d);
  }
  return layout;
}

std::size_t channel_count(const Tensor& tensor, const ChannelLayout& layout) {
  const Index outer = layout.block == 0 ? 1 : tensor.size() / std::max<Index>(layout.channels * layout.inner, 1);
  return static_cast<std::size_t>(layout.block == 0 ? layout.channels : outer * layout.blocks() * layout.inner);
}

// Calls visit(first, count, channel) for runs of elements of one channel, in order.
template <typename Visit>
void for_each_run(const ChannelLayout& layout, std::size_t size, const Visit& visit) {
  const std::size_t run = layout.block == 0 ? static_cast<std::size_t>(layout.inner) : 1;
  for (std::size_t first = 0; first < size; first += run) {
    visit(first, run, layout.channel_of(first));
  }
}

template <typename T>
void store_as(const std::vector<Index>& values, std::byte* to) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<T>(values[i]);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

// Integers of a 4-, 8- or 16-bit type; their number is that of the tensor's elements.
void store_integers(const std::vector<Index>& values, Tensor& out) {
  if (is_16bit(out.dtype())) {
    store_as<std::int16_t>(values, out.mutable_bytes());  // the low 16 bits, also of uint16
  } else {
    store_as<std::int8_t>(values, out.mutable_bytes());
  }
}

Tensor integers_of(DType dtype, const Shape& shape, const std::vector<Index>& values) {
  Tensor tensor = Tensor::allocate(dtype, shape).value();
  store_integers(values, tensor);
  return tensor;
}

Tensor scales_of(DType dtype, const Shape& shape, const std::vector<float>& scales) {
  if (dtype != DType::kFloat16) {
    return Tensor::from<float>(shape, scales);
  }
  Tensor tensor = Tensor::allocate(dtype, shape).value();
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const std::uint16_t bits = float_to_float16(scales[i]);
    std::memcpy(tensor.mutable_bytes() + i * sizeof(bits), &bits, sizeof(bits));
  }
  return tensor;
}

// The settings of one channel over those of the tensor.
TensorOverride channel_setting(const TensorOverride& all, std::size_t channel) {
  TensorOverride setting = all;
  setting.channels.clear();
  if (!all.channels.empty()) {
    const ChannelSetting& own = all.channels[channel];
    setting.scale = own.scale;
    setting.zero_point = own.zero_point;
    setting.min = own.min;
    setting.max = own.max;
  }
  return setting;
}

// The axis that the options and the override ask for; -1: per tensor.
Result<Index> chosen_axis(const WeightArgs& args) {
  const TensorOverride* setting = args.setting;
  if (setting == nullptr) {
    return args.options.per_channel ? args.channel_axis : -1;
  }
  if (setting->axis) {
    ASSAY_ASSIGN(const Index axis,
                 normalize_axis(*setting->axis, args.tensor.rank(), "quantizer.overrides for '" + args.name + "'"));
    if (axis != args.channel_axis) {
      return invalid_argument("quantizer.overrides for '" + args.name + "': axis " + std::to_string(axis) +
                              " is not the axis of the output channels (" + std::to_string(args.channel_axis) + ")");
    }
    return axis;
  }
  // One scale is given for all.
  return args.options.per_channel && !setting->scale ? args.channel_axis : -1;
}

Status check_channel_settings(const WeightArgs& args, Index axis) {
  if (args.setting == nullptr || args.setting->channels.empty()) {
    return {};
  }
  const std::size_t channels = axis < 0 ? 1 : static_cast<std::size_t>(args.tensor.dim(static_cast<std::size_t>(axis)));
  if (args.setting->channels.size() != channels) {
    return invalid_argument("quantizer.overrides for '" + args.name +
                            "': " + std::to_string(args.setting->channels.size()) + " entries for " +
                            std::to_string(channels) + (axis < 0 ? " tensor" : " channels"));
  }
  return {};
}

}  // namespace

Shape ChannelParams::shape() const {
  if (axis < 0) {
    return {};
  }
  const auto size = static_cast<Index>(count());
  if (block == 0) {
    return {size};
  }
  return axis == 0 ? Shape{blocks, size / blocks} : Shape{size / blocks, blocks};
}

std::vector<ChannelRange> channel_ranges(const Tensor& tensor, Index axis, Index block) {
  const ChannelLayout layout = layout_of(tensor, axis, block);
  std::vector<ChannelRange> ranges(channel_count(tensor, layout));
  std::vector<bool> seen(ranges.size(), false);
  const auto values = tensor.data<float>();
  for_each_run(layout, values.size(), [&](std::size_t first, std::size_t count, std::size_t c) {
    ChannelRange& channel = ranges[c];
    auto min = static_cast<float>(seen[c] ? channel.range.min : static_cast<double>(values[first]));
    auto max = static_cast<float>(seen[c] ? channel.range.max : static_cast<double>(values[first]));
    bool all_zero = channel.all_zero;
    for (const float value : values.subspan(first, count)) {
      min = std::min(min, value);
      max = std::max(max, value);
      all_zero = all_zero && value == 0;
    }
    channel = {.range = {.min = static_cast<double>(min), .max = static_cast<double>(max)}, .all_zero = all_zero};
    seen[c] = true;
  });
  return ranges;
}

Result<ChannelParams> choose_weight_params(const WeightArgs& args) {
  const Options& options = args.options;
  const bool in_blocks = options.block_size > 0 && args.block_axis >= 0 && args.setting == nullptr;
  ASSAY_ASSIGN(Index axis, chosen_axis(args));
  ASSAY_TRY(check_channel_settings(args, axis));
  axis = in_blocks ? args.block_axis : axis;
  const RangeScheme scheme = overridden_scheme({.dtype = options.weight_type,
                                                .symmetric = options.weight_symmetric,
                                                .range = options.weight_range,
                                                .reduce_range = options.reduce_range && !in_blocks,
                                                .minimum_range = in_blocks ? 0 : options.minimum_real_range,
                                                .scale_type = args.scale_type},
                                               args.setting);
  ChannelParams params{
      .dtype = scheme.dtype, .axis = axis, .scales = {}, .zero_points = {}, .scale_type = args.scale_type};
  if (in_blocks) {
    const Index length = args.tensor.dim(static_cast<std::size_t>(axis));
    params.block = options.block_size;
    params.blocks = (length + params.block - 1) / params.block;
  }
  const std::vector<ChannelRange> ranges = channel_ranges(args.tensor, axis, params.block);
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    TensorOverride own;
    if (args.setting != nullptr) {
      own = channel_setting(*args.setting, c);
    }
    ASSAY_ASSIGN(const QuantParams chosen,
                 overridden_params(args.name, ranges[c].range, scheme, args.setting == nullptr ? nullptr : &own));
    params.scales.push_back(chosen.scale);
    params.zero_points.push_back(chosen.zero_point);
  }
  return params;
}

Result<Tensor> quantize_tensor(const Tensor& tensor, const ChannelParams& params) {
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(params.dtype, tensor.shape()));
  const ChannelLayout layout = layout_of(tensor, params.axis, params.block);
  const auto from = tensor.data<float>();
  std::byte* to = out.mutable_bytes();
  for_each_run(layout, from.size(), [&](std::size_t first, std::size_t count, std::size_t c) {
    const QuantParams channel = params.channel(c);
    for (std::size_t i = first; i < first + count; ++i) {
      const Index q = quantize_value(from[i], channel);
      if (is_16bit(params.dtype)) {
        const auto bits = static_cast<std::uint16_t>(q);
        std::memcpy(to + i * sizeof(bits), &bits, sizeof(bits));
      } else {
        to[i] = static_cast<std::byte>(q);
      }
    }
  });
  return out;
}

Tensor scale_tensor(const ChannelParams& params) { return scales_of(params.scale_type, params.shape(), params.scales); }

Tensor zero_point_tensor(const ChannelParams& params) {
  return integers_of(params.dtype, params.shape(), params.zero_points);
}

Tensor integer_scalar(DType dtype, Index value) { return integers_of(dtype, {}, {value}); }

Tensor scale_scalar(const QuantParams& params) { return scales_of(params.scale_type, {}, {params.scale}); }

}  // namespace assay::quantizer
