// SPDX-License-Identifier: Apache-2.0
// A network of three layers in which one is far more sensitive to quantization than the others.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/api/quantize.h"
#include "harness/tune/evaluator.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::tune::test {

// 8 -> 8 -> 8 -> 4 by MatMul. One weight of "rough" is 300 times as large as the others, so that int8 per tensor leaves
// nothing of these. It is the only one of its column and meets a hidden value that is always 0: nothing else suffers,
// and a scale per channel mends it.
inline api::Model network() {
  const auto weights = [](Index rows, Index columns, bool column_of_zeros, float first) {
    std::vector<float> values;
    for (Index i = 0; i < rows * columns; ++i) {
      const bool zero = column_of_zeros && i % columns == 0;
      values.push_back(zero ? 0.0F : 0.1F * static_cast<float>((i * 37) % 19 - 9));
    }
    values[0] = first;
    return Tensor::from<float>({rows, columns}, values);
  };
  return api::Model::from_graph(assay::test::GraphBuilder()
                                    .input("x", {1, 8})
                                    .constant("w1", weights(8, 8, true, 0))
                                    .constant("w2", weights(8, 8, true, 270))
                                    .constant("w3", weights(8, 4, false, 0.9F))
                                    .node("MatMul", "first", {"x", "w1"})
                                    .node("Relu", "relu", {"first"})
                                    .node("MatMul", "rough", {"relu", "w2"})
                                    .node("MatMul", "last", {"rough", "w3"})
                                    .output("last", {1, 4})
                                    .build())
      .value();
}

// Samples 0 .. count - 1; `reads` counts how often the first is asked for.
inline api::CalibrationSource source(Index count, int* reads = nullptr) {
  return [count, reads](Index position, api::NamedTensors& inputs) -> Result<bool> {
    if (position == 0 && reads != nullptr) {
      ++*reads;
    }
    if (position >= count) {
      return false;
    }
    std::vector<float> values;
    for (Index i = 0; i < 8; ++i) {
      values.push_back(static_cast<float>((position * 13 + i * 29) % 31 - 15) / 15);
    }
    inputs["x"] = Tensor::from<float>({1, 8}, values);
    return true;
  };
}

inline EvaluationSettings settings(const std::string& target, int threads = 1) {
  EvaluationSettings chosen;
  chosen.target = parse_target(target).value();
  chosen.session.profile = {.isa = Isa::kScalar, .precision = Precision::kExact};
  chosen.threads = threads;
  return chosen;
}

}  // namespace assay::tune::test
