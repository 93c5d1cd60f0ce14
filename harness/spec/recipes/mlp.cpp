// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/recipes/network_builder.h"
#include "harness/spec/recipes/recipe.h"

namespace assay::spec {

Graph mlp(const RecipeArgs& args) {
  NetworkBuilder network(args.seed, {args.batch, Dim{args.size, ""}});
  std::string value = "x";
  for (Index layer = 0; layer < args.layers; ++layer) {
    value = network.gemm(value, layer == 0 ? args.size : args.channels, args.channels);
    value = network.relu(value);
  }
  network.gemm(value, args.layers == 0 ? args.size : args.channels, args.classes);
  return network.finish({args.batch, Dim{args.classes, ""}});
}

}  // namespace assay::spec
