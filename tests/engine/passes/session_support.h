// SPDX-License-Identifier: Apache-2.0
// Running a graph of a test under one configuration.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/api/session.h"

namespace assay::test {

struct RunConfig {
  api::Optimization level = api::Optimization::kAll;
  Profile profile = {.isa = Isa::kAvx512Vnni, .precision = Precision::kFast};
  std::vector<std::string> disabled = {};
};

struct RunOutcome {
  api::NamedTensors outputs;
  Graph optimized;
};

// A test failure and an empty outcome where the model cannot be run.
inline RunOutcome run_graph(const Graph& graph, const api::NamedTensors& inputs, const RunConfig& config) {
  const auto model = api::Model::from_graph(graph);
  if (!model.ok()) {
    ADD_FAILURE() << model.error().message;
    return {};
  }
  api::SessionOptions options;
  options.optimization = config.level;
  options.profile = config.profile;
  options.disabled_passes = config.disabled;
  const auto session = api::Session::create(model.value(), options);
  if (!session.ok()) {
    ADD_FAILURE() << session.error().message;
    return {};
  }
  auto result = session.value().run(inputs);
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  return {.outputs = std::move(result.value().outputs), .optimized = session.value().optimized_graph()};
}

}  // namespace assay::test
