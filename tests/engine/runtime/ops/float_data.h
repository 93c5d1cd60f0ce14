// SPDX-License-Identifier: Apache-2.0
// Random float tensors, and comparison with references in double.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "tests/engine/runtime/ops/run_node.h"
#include "tests/support/random.h"

namespace assay::test {

inline Tensor random_floats(Random& random, const Shape& shape) {
  Tensor tensor = Tensor::allocate(DType::kFloat32, shape).value();
  for (float& value : tensor.mutable_data<float>()) {
    value = random.uniform(-1, 1);
  }
  return tensor;
}

inline std::vector<float> floats(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

// Output 0 of a node that must run.
inline Tensor run_one(const NodeRun& run, const Setting& setting = {}) {
  auto outcome = run_node(run, setting);
  if (!outcome.ok()) {
    ADD_FAILURE() << run.op_type << ": " << outcome.error().message;
    return {};
  }
  return outcome.value().outputs[0];
}

// Every element within `tolerance` of the reference; NaN only where the reference has it.
inline void expect_close(const Tensor& actual, const Shape& shape, const std::vector<double>& expected,
                         double tolerance) {
  ASSERT_EQ(actual.dtype(), DType::kFloat32);
  ASSERT_EQ(actual.shape(), shape);
  ASSERT_EQ(static_cast<std::size_t>(actual.size()), expected.size());
  const auto values = actual.to_doubles();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isinf(expected[i])) {
      ASSERT_EQ(values[i], expected[i]) << "element " << i;
      continue;
    }
    ASSERT_EQ(std::isnan(values[i]), std::isnan(expected[i])) << "element " << i;
    if (!std::isnan(expected[i])) {
      ASSERT_NEAR(values[i], expected[i], tolerance) << "element " << i;
    }
  }
}

// An operator of two inputs that may differ from run to run.
inline std::unique_ptr<runtime::Operator> operator_without_constants(const std::string& op_type) {
  Graph graph;
  graph.opsets[""] = 13;
  Node node;
  node.op_type = op_type;
  node.inputs = {"a", "b"};
  node.outputs = {"y"};
  graph.nodes.push_back(node);
  return std::move(runtime::prepare_operator({.graph = graph, .node = graph.nodes[0]})).value();
}

}  // namespace assay::test
