// SPDX-License-Identifier: Apache-2.0
// What a model states about its quantization, for comparisons and reports.
#pragma once

#include "engine/api/model.h"
#include "engine/quantizer/inspect.h"

namespace assay::api {

using quantizer::Inspection;
using quantizer::NodeArithmetic;
using quantizer::StatedNode;
using quantizer::StatedParams;

// Never fails: a model that is not quantized has no parameters.
Inspection inspect(const Model& model);

}  // namespace assay::api
