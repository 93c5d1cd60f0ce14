// SPDX-License-Identifier: Apache-2.0
// Texts from cases, models and adapters in GitHub's Markdown.
#pragma once

#include <string>
#include <string_view>

namespace assay::reports {

// The text on one line, with what would be markup escaped: it looks as it is in a paragraph, a heading and a cell.
std::string markdown_text(std::string_view text);

}  // namespace assay::reports
