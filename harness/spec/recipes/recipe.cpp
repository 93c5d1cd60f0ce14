// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/recipes/recipe.h"

#include <algorithm>

#include <fmt/format.h>

namespace assay::spec {
namespace {

constexpr Index kMaxParameter = 4096;
constexpr Index kMaxLayers = 1000;
// Sum of the weights' sizes that a generated network may have.
constexpr double kMaxWeights = 1e8;

struct Parameter {
  std::string_view name;
  Index RecipeArgs::*member;
};
constexpr Parameter kParameters[] = {
    {"channels", &RecipeArgs::channels}, {"layers", &RecipeArgs::layers},
    {"size", &RecipeArgs::size},         {"input_channels", &RecipeArgs::input_channels},
    {"classes", &RecipeArgs::classes},
};

const Recipe* find_recipe(const std::string& name) {
  for (const Recipe& recipe : recipes()) {
    if (recipe.name == name) {
      return &recipe;
    }
  }
  return nullptr;
}

bool has_parameter(const Recipe& recipe, std::string_view name) {
  return std::find(recipe.parameters.begin(), recipe.parameters.end(), name) != recipe.parameters.end();
}

Result<RecipeArgs> args_of(const Recipe& recipe, const Element& element) {
  RecipeArgs args = recipe.defaults;
  for (const Parameter& parameter : kParameters) {
    const Element value = element.member(std::string(parameter.name));
    if (!value.exists()) {
      continue;
    }
    if (!has_parameter(recipe, parameter.name)) {
      return value.key_error(fmt::format("recipe '{}' has no '{}'; it has {}, batch, seed", recipe.name, parameter.name,
                                         fmt::join(recipe.parameters, ", ")));
    }
    const Index limit = parameter.name == "layers" ? kMaxLayers : kMaxParameter;
    const double number = value.json().get<double>();
    if (number > static_cast<double>(limit)) {
      return value.error(fmt::format("'{}' must be at most {}, found {}", parameter.name, limit, value.json().dump()));
    }
    args.*parameter.member = static_cast<Index>(number);
  }
  const double width = static_cast<double>(std::max({args.channels, args.size, args.classes, args.input_channels}));
  if (9.0 * width * width * static_cast<double>(args.layers + 1) > kMaxWeights) {
    return element.error(fmt::format("recipe '{}' would have more than {} weights", recipe.name, kMaxWeights));
  }
  if (const Element batch = element.member("batch"); batch.exists()) {
    args.batch = batch.json().is_string() ? Dim{-1, batch.json().get<std::string>()}
                                          : Dim{static_cast<Index>(std::min(batch.json().get<double>(), 1e6)), ""};
  }
  if (const Element seed = element.member("seed"); seed.exists()) {
    args.seed = seed.json().get<std::uint64_t>();
  }
  return args;
}

}  // namespace

std::span<const Recipe> recipes() {
  static const std::vector<Recipe> kRecipes = {
      {"conv_relu_stack",
       {"channels", "layers", "size", "input_channels"},
       {.channels = 16, .layers = 4, .size = 16, .input_channels = 3},
       conv_relu_stack},
      {"mobilenet_like",
       {"channels", "layers", "size", "input_channels", "classes"},
       {.channels = 16, .layers = 3, .size = 32, .input_channels = 3, .classes = 10},
       mobilenet_like},
      {"mlp", {"channels", "layers", "size", "classes"}, {.channels = 64, .layers = 2, .size = 64, .classes = 10}, mlp},
  };
  return kRecipes;
}

Result<Graph> make_recipe(const std::string& name, const Element& element) {
  const Recipe* recipe = find_recipe(name);
  if (recipe == nullptr) {
    return element.error(fmt::format("unknown recipe '{}'", name));
  }
  ASSAY_ASSIGN(const RecipeArgs args, args_of(*recipe, element));
  Graph graph = recipe->make(args);
  graph.name = name;
  return graph;
}

}  // namespace assay::spec
