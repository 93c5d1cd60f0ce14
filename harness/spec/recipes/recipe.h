// SPDX-License-Identifier: Apache-2.0
// Generated networks: one per file, one table. The same arguments give the same weights on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"
#include "harness/spec/document.h"

namespace assay::spec {

struct RecipeArgs {
  Index channels = 1;
  Index layers = 1;
  Index size = 1;
  Index input_channels = 1;
  Index classes = 1;
  Dim batch{1, ""};
  std::uint64_t seed = 0;
};

struct Recipe {
  std::string_view name;
  std::vector<std::string_view> parameters;  // besides "batch" and "seed"
  RecipeArgs defaults;
  Graph (*make)(const RecipeArgs& args);
};

std::span<const Recipe> recipes();

// `element` is the "model" object. Errors: a parameter that the recipe does not have, sizes beyond reason.
Result<Graph> make_recipe(const std::string& name, const Element& element);

// Conv 3x3 and Relu, `layers` times, with `channels` channels on a [batch, input_channels, size, size] input "x".
// Output "y".
Graph conv_relu_stack(const RecipeArgs& args);
// Conv 3x3 with stride 2 and Clip to [0,6]; `layers` blocks of 1x1 expansion to twice the channels, depthwise 3x3 and
// 1x1 projection with an Add around them; GlobalAveragePool, Flatten and Gemm to `classes`. Input "x", output "y".
Graph mobilenet_like(const RecipeArgs& args);
// Gemm and Relu, `layers` times, with `channels` neurons on a [batch, size] input "x", then Gemm to `classes`. Output
// "y".
Graph mlp(const RecipeArgs& args);

}  // namespace assay::spec
