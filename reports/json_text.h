// SPDX-License-Identifier: Apache-2.0
// JSON from outside, which may be damaged or hostile: a short text must not take much memory.
#pragma once

#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

namespace assay::reports {

// Nested lists and objects. A case may have 100, and a record holds parts of cases.
inline constexpr std::size_t kMaxJsonDepth = 200;

// Whether more lists and objects than kMaxJsonDepth are open at a place of the text, which need not be JSON.
bool nests_too_deep(std::string_view text);

// The value, or one that is_discarded() where the text is no JSON, holds a NUL byte (which the library takes for the
// end) or nests_too_deep.
template <typename Json = nlohmann::ordered_json>
Json parse_json(std::string_view text) {
  if (text.find('\0') != std::string_view::npos || nests_too_deep(text)) {
    return Json(Json::value_t::discarded);
  }
  return Json::parse(text, nullptr, false);
}

}  // namespace assay::reports
