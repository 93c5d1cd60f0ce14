// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/recipes/network_builder.h"
#include "harness/spec/recipes/recipe.h"

namespace assay::spec {
namespace {

std::string inverted_residual(NetworkBuilder& network, const std::string& input, Index channels) {
  const Index wide = 2 * channels;
  std::string value = network.conv(input, {.in_channels = channels, .out_channels = wide});
  value = network.relu6(value);
  value = network.conv(value, {.in_channels = wide, .out_channels = wide, .kernel = 3, .group = wide});
  value = network.relu6(value);
  value = network.conv(value, {.in_channels = wide, .out_channels = channels});
  return network.add(value, input);
}

}  // namespace

Graph mobilenet_like(const RecipeArgs& args) {
  const Dim size{args.size, ""};
  NetworkBuilder network(args.seed, {args.batch, Dim{args.input_channels, ""}, size, size});
  std::string value =
      network.conv("x", {.in_channels = args.input_channels, .out_channels = args.channels, .kernel = 3, .stride = 2});
  value = network.relu6(value);
  for (Index layer = 0; layer < args.layers; ++layer) {
    value = inverted_residual(network, value, args.channels);
  }
  network.gemm(network.pool_to_vector(value), args.channels, args.classes);
  return network.finish({args.batch, Dim{args.classes, ""}});
}

}  // namespace assay::spec
