// SPDX-License-Identifier: Apache-2.0
// What the tests of quantize() share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/api/quantize.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::test {

// The samples of the list.
inline api::CalibrationSource samples(std::vector<api::NamedTensors> list) {
  return [list = std::move(list)](Index position, api::NamedTensors& inputs) -> Result<bool> {
    if (position >= static_cast<Index>(list.size())) {
      return false;
    }
    inputs = list[static_cast<std::size_t>(position)];
    return true;
  };
}

// The only output of a model.
inline Tensor run_model(const api::Model& model, const api::NamedTensors& inputs, api::Optimization level,
                        Profile profile = {}) {
  api::SessionOptions options;
  options.optimization = level;
  options.profile = profile;
  const auto session = api::Session::create(model, options);
  EXPECT_TRUE(session.ok()) << session.error().message;
  const auto result = session.value().run(inputs);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.value().outputs.begin()->second;
}

// The network of the reported fault: Conv 1x1 with weight 127 and no bias, Relu, perhaps MaxPool.
inline api::Model reported_model(bool pool) {
  GraphBuilder builder;
  builder.input("x", {1, 1, 2, 2})
      .constant("w", floats({1, 1, 1, 1}, {127}))
      .node("Conv", "conv1", {"x", "w"})
      .node("Relu", "relu1", {"conv1"});
  if (pool) {
    builder.node("MaxPool", "pool1", {"relu1"}, {{"kernel_shape", std::vector<Index>{2, 2}}})
        .output("pool1", {1, 1, 1, 1});
  } else {
    builder.output("relu1", {1, 1, 2, 2});
  }
  return api::Model::from_graph(builder.build()).value();
}

inline Tensor constant_image(float value) { return floats({1, 1, 2, 2}, std::vector<float>(4, value)); }

// The reported calibration: -127 and 127.
inline api::CalibrationSource reported_samples() {
  return samples({{{"x", constant_image(-127)}}, {{"x", constant_image(127)}}});
}

}  // namespace assay::test
