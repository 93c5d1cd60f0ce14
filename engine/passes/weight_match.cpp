// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/weight_match.h"

#include <algorithm>

namespace assay::passes {

std::optional<Quantization> match_weight(const Graph& graph, const ValueIndex& index, const std::string& value,
                                         Index axis) {
  std::optional<Quantization> weight = match_dequantize(graph, index, value);
  if (!weight.has_value() || !is_8bit(weight->dtype)) {
    return std::nullopt;
  }
  if (weight->per_tensor()) {
    return weight;
  }
  const Tensor* constant = graph.constant(weight->integers);
  if (constant == nullptr || weight->scales.rank() != 1) {
    return std::nullopt;
  }
  const auto wanted = normalize_axis(axis, constant->rank(), "axis");
  const auto found = normalize_axis(weight->axis, constant->rank(), "axis");
  const bool fits = wanted.ok() && found.ok() && wanted.value() == found.value() &&
                    constant->dim(static_cast<std::size_t>(found.value())) == weight->scales.size();
  const auto scales = weight->scales.data<float>();
  return fits && std::all_of(scales.begin(), scales.end(), is_usable_scale) ? weight : std::nullopt;
}

}  // namespace assay::passes
