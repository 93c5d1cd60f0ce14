// SPDX-License-Identifier: Apache-2.0
// What `assay quantize` says of its work.
#pragma once

#include <string>

#include "engine/api/quantize.h"
#include "reports/record.h"

namespace assay::cli {

// --report: nodes with their reasons, tensors with their parameters, warnings.
reports::Json quantize_json(const api::QuantizeResult& result);

// A line per node of the float model: what it computes in and why; and a last one that sums up.
std::string nodes_text(const api::QuantizeResult& result);

// --explain: the same, with why nodes stayed float by reason in front, and the parameters of every tensor behind.
std::string explanation_text(const api::QuantizeResult& result);

}  // namespace assay::cli
