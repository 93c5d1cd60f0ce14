// SPDX-License-Identifier: Apache-2.0
// The path that a search took, for people and for programs. docs/quantizer.md describes both.
#pragma once

#include <string>

#include "harness/tune/search.h"
#include "reports/record.h"

namespace assay::tune {

// The steps, the layers by their noise, and a line that says what came of it.
std::string render_text(const SearchResult& result, const Evaluator& evaluator, const Target& target);

reports::Json to_json(const SearchResult& result, const Evaluator& evaluator, const Target& target,
                      const std::string& profile);

// The settings found, as --set flags that repeat them.
std::string settings_text(const spec::Configuration& configuration);

}  // namespace assay::tune
