// SPDX-License-Identifier: Apache-2.0
// Which variants --filter selects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::run {

// Whether the whole of `text` fits `pattern`: `*` any characters, `?` one; all else, brackets included, stands for
// itself.
bool glob_matches(std::string_view pattern, std::string_view text);

// One flag per name. A filter that is some name exactly selects that name alone; one with `*` or `?` is a glob for the
// whole name; any other selects the names that contain it. Several filters: any of them. None: every name.
std::vector<bool> select_names(const std::vector<std::string>& names, const std::vector<std::string>& filters);

}  // namespace assay::run
