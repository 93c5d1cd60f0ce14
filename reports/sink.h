// SPDX-License-Identifier: Apache-2.0
// Where a renderer's text goes, piece by piece: the report of a large run need not fit in memory.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace assay::reports {

using Sink = std::function<void(std::string_view)>;

// What `render(arguments..., sink)` writes, as one text.
template <typename Render, typename... Arguments>
std::string rendered(const Render& render, Arguments&&... arguments) {
  std::string text;
  render(std::forward<Arguments>(arguments)..., [&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace assay::reports
