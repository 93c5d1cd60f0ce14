// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/evaluate.h"

#include "engine/runtime/guard.h"
#include "engine/runtime/plan.h"
#include "engine/runtime/threads.h"

namespace assay::runtime {

Result<std::vector<Tensor>> evaluate_node(const Graph& graph, const Node& node, const std::vector<Tensor>& inputs) {
  const ThreadScope threads(1);
  auto outputs = guarded([&]() -> Result<std::vector<Tensor>> {
    const PrepareContext context{.graph = graph,
                                 .node = node,
                                 .profile = {.isa = Isa::kScalar, .precision = Precision::kExact},
                                 .features = host_features(),
                                 .threads = 1};
    ASSAY_ASSIGN(const auto op, prepare_operator(context));
    RunContext run{.inputs = inputs, .threads = 1};
    std::vector<Tensor> made;
    ASSAY_TRY(op->run(run, made));
    return made;
  });
  if (!outputs.ok()) {
    return with_node(graph, node, outputs.error());
  }
  return outputs;
}

}  // namespace assay::runtime
