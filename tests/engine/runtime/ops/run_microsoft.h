// SPDX-License-Identifier: Apache-2.0
// One com.microsoft node, run with default settings on two threads.
#pragma once

#include "tests/engine/runtime/ops/run_node.h"

namespace assay::test {

inline NodeRun microsoft_node(const std::string& op_type, std::vector<Tensor> inputs) {
  return {.op_type = op_type, .domain = kMicrosoftDomain, .inputs = std::move(inputs)};
}

inline Tensor run_one(const NodeRun& run) {
  const auto outcome = run_node(run, {.threads = 2});
  EXPECT_TRUE(outcome.ok()) << outcome.error().message;
  return outcome.value().outputs[0];
}

}  // namespace assay::test
