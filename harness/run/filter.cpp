// SPDX-License-Identifier: Apache-2.0
#include "harness/run/filter.h"

#include <algorithm>

namespace assay::run {

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last star, and the text that it began to swallow at
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<bool> select_names(const std::vector<std::string>& names, const std::vector<std::string>& filters) {
  std::vector<bool> selected(names.size(), filters.empty());
  for (const std::string& filter : filters) {
    const bool exact = std::ranges::find(names, filter) != names.end();
    const bool glob = filter.find_first_of("*?") != std::string::npos;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool fits = exact  ? names[i] == filter
                        : glob ? glob_matches(filter, names[i])
                               : names[i].find(filter) != std::string::npos;
      selected[i] = selected[i] || fits;
    }
  }
  return selected;
}

}  // namespace assay::run
