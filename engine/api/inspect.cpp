// SPDX-License-Identifier: Apache-2.0
#include "engine/api/inspect.h"

namespace assay::api {

Inspection inspect(const Model& model) { return quantizer::inspect(model.graph()); }

}  // namespace assay::api
