// SPDX-License-Identifier: Apache-2.0
// What operators with subgraphs share: a subgraph planned under the settings of its node, with the outer constants that
// it uses bound into it.
#pragma once

#include <string>

#include "engine/runtime/executor.h"
#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

// The node's subgraphs as plans, in the order of the keys they are made with.
class Subgraphs {
 public:
  static Result<Subgraphs> make(const PrepareContext& context, const std::vector<std::string>& keys);

  // `own` inputs, then the captured ones. Adds to the context's multiply_accumulates.
  Result<std::vector<Tensor>> run(std::size_t which, std::vector<Tensor> own, RunContext& context) const;
  // Inputs of a subgraph that are no captures.
  std::size_t own_inputs(std::size_t which) const { return plans_[which].inputs.size() - kept_.size(); }
  std::size_t outputs(std::size_t which) const { return plans_[which].outputs.size(); }
  std::vector<KernelInfo> kernels() const;

 private:
  std::string node_;  // the node's name
  std::vector<std::string> keys_;
  std::vector<Plan> plans_;
  std::vector<std::size_t> kept_;  // positions in the node's inputs of the captures that are no constants
};

// What the node of a control-flow operator itself reports.
KernelInfo control_kernel();

}  // namespace assay::runtime
