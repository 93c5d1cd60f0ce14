// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/overrides.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

Error override_error(const std::string& tensor, const std::string& text) {
  return invalid_argument("quantizer.overrides for '" + tensor + "': " + text);
}

Status check_scale(const std::string& tensor, const TensorOverride& setting) {
  if (setting.scale.has_value() != setting.zero_point.has_value()) {
    return override_error(tensor, "scale and zero_point go together, but only " +
                                      std::string(setting.scale ? "scale" : "zero_point") + " is given");
  }
  if (!setting.scale) {
    return {};
  }
  const auto stored = static_cast<float>(*setting.scale);
  if (!std::isfinite(stored) || stored < std::numeric_limits<float>::min()) {
    return override_error(tensor, "scale " + number_text(*setting.scale) + " is not a positive normal float32");
  }
  if (setting.min || setting.max || setting.symmetric) {
    return override_error(tensor, std::string("scale contradicts ") +
                                      (setting.symmetric ? "symmetric" : (setting.min ? "min" : "max")) +
                                      "; give one or the other");
  }
  return {};
}

}  // namespace

Status check_override(const std::string& tensor, const TensorOverride& setting) {
  if (setting.type && !is_8bit(*setting.type) && !is_16bit(*setting.type) && !is_4bit(*setting.type)) {
    return override_error(tensor, "type " + std::string(dtype_name(*setting.type)) +
                                      " is not one of int4, uint4, int8, uint8, int16, uint16");
  }
  for (const ChannelSetting& channel : setting.channels) {
    if (channel.scale.has_value() != channel.zero_point.has_value() || (channel.scale && *channel.scale <= 0)) {
      return override_error(tensor, "every channel has scale (above 0) and zero_point, or neither");
    }
  }
  if (!setting.channels.empty() && (setting.scale || setting.zero_point || setting.min || setting.max)) {
    return override_error(tensor, "channels contradicts scale, zero_point, min and max of the whole tensor");
  }
  ASSAY_TRY(check_scale(tensor, setting));
  const double low = setting.min.value_or(setting.max ? std::min(*setting.max, 0.0) : 0.0);
  const double high = setting.max.value_or(std::max(low, 0.0));
  return check_range(tensor, low, high, "overrides");
}

Status check_range(const std::string& tensor, double min, double max, const std::string& option) {
  if (!std::isfinite(min) || !std::isfinite(max)) {
    return invalid_argument("quantizer." + option + " for '" + tensor + "': " + range_text(min, max) +
                            " is not finite");
  }
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (std::abs(min) > kLargest || std::abs(max) > kLargest) {
    return invalid_argument("quantizer." + option + " for '" + tensor + "': " + range_text(min, max) +
                            " goes beyond float32");
  }
  if (min > max) {
    return invalid_argument("quantizer." + option + " for '" + tensor + "': min " + number_text(min) +
                            " is greater than max " + number_text(max));
  }
  return {};
}

const TensorOverride* find_override(const Options& options, const std::string& tensor) {
  const auto found = options.overrides.find(tensor);
  return found == options.overrides.end() ? nullptr : &found->second;
}

RangeScheme overridden_scheme(RangeScheme scheme, const TensorOverride* setting) {
  if (setting != nullptr) {
    scheme.dtype = setting->type.value_or(scheme.dtype);
    scheme.symmetric = setting->symmetric.value_or(scheme.symmetric);
    scheme.reduce_range = setting->reduce_range.value_or(scheme.reduce_range);
  }
  return scheme;
}

Result<QuantParams> overridden_params(const std::string& tensor, ValueRange range, const RangeScheme& scheme,
                                      const TensorOverride* setting) {
  if (setting == nullptr) {
    return choose_params(range.min, range.max, scheme);
  }
  if (setting->scale) {
    const IntegerRange type = dtype_integer_range(scheme.dtype);
    if (*setting->zero_point < type.min || *setting->zero_point > type.max) {
      return override_error(tensor, "zero_point " + std::to_string(*setting->zero_point) + " is outside " +
                                        std::string(dtype_name(scheme.dtype)));
    }
    return QuantParams{.dtype = scheme.dtype,
                       .scale = static_cast<float>(*setting->scale),
                       .zero_point = *setting->zero_point,
                       .scale_type = scheme.scale_type};
  }
  range.min = setting->min.value_or(std::min(range.min, 0.0));
  range.max = setting->max.value_or(std::max(range.max, 0.0));
  ASSAY_TRY(check_range(tensor, range.min, range.max, "overrides"));
  return choose_params(range.min, range.max, scheme);
}

}  // namespace assay::quantizer
