// SPDX-License-Identifier: Apache-2.0
// What a graph's inputs demand of the sources of a case.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/data_source.h"

namespace assay::spec {

Target input_target(const Case& test_case, const ValueInfo& info, bool first_axis_free);

// Every input of the graph is given and nothing else is. Messages stand at the owner or at the unknown name in it.
Status check_input_names(const Element& owner, const std::vector<std::string>& given, const Graph& graph);

}  // namespace assay::spec
