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

// A prepared part.
class Part {
 public:
  Part() = default;
  Part(std::unique_ptr<Operator> op) : op_(std::move(op)) {}  // NOLINT(google-explicit-constructor): it is nothing else

  explicit operator bool() const { return op_ != nullptr; }
  const Operator& op() const { return *op_; }
  // Its first output. Adds to the context's multiply_accumulates.
  Result<Tensor> run(RunContext& context, std::span<const Tensor> inputs);
  Result<Tensor> run(RunContext& context, std::initializer_list<Tensor> inputs) {
    return run(context, std::span<const Tensor>(inputs.begin(), inputs.size()));
  }
  // The first outputs, as many as there are places.
  Status run(RunContext& context, std::span<const Tensor> inputs, std::span<Tensor> places);

 private:
  std::unique_ptr<Operator> op_;
  std::vector<Tensor> outputs_;  // empty between runs
};

// The activation of a fused operator as a part: "" gives null. `parameters` in the order in which its attributes stand
// in the standard. Errors: kUnsupported for one that is not known here.
OperatorResult prepare_activation(const PrepareContext& context, const std::string& name,
                                  const std::vector<float>& parameters);

}  // namespace assay::runtime
