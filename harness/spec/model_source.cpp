// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/model_source.h"

#include "harness/spec/inline_graph.h"
#include "harness/spec/recipes/recipe.h"

namespace assay::spec {

Result<api::Model> load_model(const Case& test_case) {
  const ModelSource& source = test_case.model;
  switch (source.kind) {
    case ModelKind::kPath:
      return api::Model::load(source.path);
    case ModelKind::kGraph:
      return model_of_inline_graph(source.element.member("graph"), test_case.name);
    case ModelKind::kRecipe: {
      ASSAY_ASSIGN(Graph graph, make_recipe(source.recipe, source.element));
      return api::Model::from_graph(std::move(graph));
    }
  }
  return internal_error("unknown kind of model");
}

}  // namespace assay::spec
