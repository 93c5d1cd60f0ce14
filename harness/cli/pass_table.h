// SPDX-License-Identifier: Apache-2.0
// docs/passes.md, made from the list of passes.
#pragma once

#include <string>

namespace assay::cli {

// The page, in Markdown.
std::string pass_table();

}  // namespace assay::cli
