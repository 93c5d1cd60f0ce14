// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/recipes/network_builder.h"
#include "harness/spec/recipes/recipe.h"

namespace assay::spec {

Graph conv_relu_stack(const RecipeArgs& args) {
  const Dim size{args.size, ""};
  NetworkBuilder network(args.seed, {args.batch, Dim{args.input_channels, ""}, size, size});
  std::string value = "x";
  for (Index layer = 0; layer < args.layers; ++layer) {
    const Index in_channels = layer == 0 ? args.input_channels : args.channels;
    value = network.conv(value, {.in_channels = in_channels, .out_channels = args.channels, .kernel = 3});
    value = network.relu(value);
  }
  return network.finish({args.batch, Dim{args.channels, ""}, size, size});
}

}  // namespace assay::spec
