// SPDX-License-Identifier: Apache-2.0
// quantize(dequantize(q)) = q for every 8-bit q with a usable scale (see is_usable_scale()), so the pair vanishes. The
// other order, QuantizeLinear -> DequantizeLinear, rounds and must stay.
#include "engine/passes/all_passes.h"
#include "engine/passes/qdq_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {

Result<Index> remove_redundant_qdq(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, [](Graph& g, const ValueIndex& index, std::size_t i) -> Result<bool> {
    const auto quantize = match_quantize(g, i);
    if (!quantize.has_value()) {
      return false;
    }
    const auto dequantize = match_activation(g, index, quantize->reals);
    return dequantize.has_value() && same_parameters(*dequantize, *quantize) &&
           forward_value(g, index, quantize->integers, dequantize->integers);
  });
}

}  // namespace assay::passes
