// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/minmax_observer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::quantizer {
namespace {

struct FloatExtremes {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  Index first_not_finite = -1;
};

FloatExtremes extremes(std::span<const float> values) {
  FloatExtremes found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      found.first_not_finite = found.first_not_finite < 0 ? static_cast<Index>(i) : found.first_not_finite;
      continue;
    }
    found.min = std::min(found.min, values[i]);
    found.max = std::max(found.max, values[i]);
  }
  return found;
}

std::string not_finite_text(float value) {
  if (std::isnan(value)) {
    return "nan";
  }
  return value > 0 ? "inf" : "-inf";
}

}  // namespace

void MinMaxObserver::observe(const std::string& value, const Tensor& tensor) {
  if (tensor.dtype() != DType::kFloat32) {
    return;
  }
  const auto [entry, is_new] = table_.try_emplace(value);
  ObservedValue& observed = entry->second;
  observed.rank = static_cast<Index>(tensor.rank());
  const auto values = tensor.data<float>();
  const FloatExtremes found = extremes(values);
  if (found.first_not_finite >= 0 && observed.fault.empty()) {
    observed.fault = "sample " + std::to_string(sample_) + ": element " + std::to_string(found.first_not_finite) +
                     " is " + not_finite_text(values[static_cast<std::size_t>(found.first_not_finite)]);
  }
  if (found.min > found.max) {
    return;  // nothing finite in it
  }
  // 0 belongs to every range that is quantized, so starting from [0, 0] would not change a scale; the reported range
  // should still be the observed one.
  observed.range.min = is_new ? found.min : std::min(observed.range.min, static_cast<double>(found.min));
  observed.range.max = is_new ? found.max : std::max(observed.range.max, static_cast<double>(found.max));
}

}  // namespace assay::quantizer
