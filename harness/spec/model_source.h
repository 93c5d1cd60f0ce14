// SPDX-License-Identifier: Apache-2.0
// The model of a case: a file, an inline graph or a recipe.
#pragma once

#include "engine/api/model.h"
#include "harness/spec/case.h"

namespace assay::spec {

// Errors of inline graphs carry FILE:LINE:COLUMN; those of files name the file.
Result<api::Model> load_model(const Case& test_case);

}  // namespace assay::spec
