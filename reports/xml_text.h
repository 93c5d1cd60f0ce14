// SPDX-License-Identifier: Apache-2.0
// Text inside XML, SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace assay::reports {

// Escapes &, <, >, " and '; characters that XML 1.0 cannot hold (most controls, bytes that are not UTF-8) become "?".
std::string xml_text(std::string_view text);

}  // namespace assay::reports
