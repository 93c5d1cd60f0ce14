// SPDX-License-Identifier: Apache-2.0
// Models written out in a case: {"model": {"graph": {...}}}.
#pragma once

#include "engine/api/model.h"
#include "harness/spec/document.h"

namespace assay::spec {

// `graph` fits the schema. `case_name` seeds random initializers. Errors carry the position of the part concerned, of a
// node where the engine's message names one.
Result<api::Model> model_of_inline_graph(const Element& graph, const std::string& case_name);

}  // namespace assay::spec
