// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/emission.h"
#include "engine/quantizer/emit.h"

namespace assay::quantizer {

Result<QuantizedGraph> emit_qdq(const Graph& graph, const Plan& plan, const Options& options) {
  Emission emission(graph, plan, options);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    switch (plan.nodes[i].treatment) {
      case Treatment::kFloat:
        ASSAY_TRY(emission.emit_float_node(node));
        break;
      case Treatment::kQuantized:
        ASSAY_TRY(emission.emit_quantized_in_float(node, plan.nodes[i]));
        break;
      case Treatment::kFusedClamp:
        emission.emit_fused_clamp(node);
        break;
      case Treatment::kFoldedClamp:
        break;
    }
  }
  return emission.finish();
}

}  // namespace assay::quantizer
