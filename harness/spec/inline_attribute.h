// SPDX-License-Identifier: Apache-2.0
// Attributes of nodes written in JSON.
#pragma once

#include <string>

#include "engine/ir/graph.h"
#include "harness/spec/document.h"

namespace assay::spec {

// `type` is the operator's: "int", "float", "string", "ints", "floats", "strings" or "tensor"; with "" the value
// decides (a whole number is an int, a list of numbers with a fraction among them is floats). A tensor is
// {"type", "shape", "values"}; "shape" may be left out where the values are nested or flat.
Result<Attribute> inline_attribute(const Element& element, const std::string& name, const std::string& type);

}  // namespace assay::spec
