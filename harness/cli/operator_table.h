// SPDX-License-Identifier: Apache-2.0
// docs/operators.md, made from the operator tables.
#pragma once

#include <string>

namespace assay::cli {

// The page, in Markdown.
std::string operator_table();

}  // namespace assay::cli
