// SPDX-License-Identifier: Apache-2.0
// Operators made of others: a part is an operator prepared for a node that stands in no graph.
#pragma once

#include <string>

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

struct PartNode {
  std::string op_type;              // of ai.onnx
  std::vector<std::string> inputs;  // names in the graph, so that constants are found; "" where omitted
  AttributeMap attributes = {};
};

// Prepares a part in the settings of `context`. The part keeps nothing of the node.
OperatorResult prepare_part(const PrepareContext& context, const PartNode& part, OperatorFactory factory);

// Runs a part with one output. Adds to the context's multiply_accumulates.
Result<Tensor> run_part(Operator& part, RunContext& context, std::vector<Tensor> inputs);

// The activation of a fused operator as a part: "" gives null. `parameters` in the order in which its attributes stand
// in the standard. Errors: kUnsupported for one that is not known here.
OperatorResult prepare_activation(const PrepareContext& context, const std::string& name,
                                  const std::vector<float>& parameters);

}  // namespace assay::runtime
