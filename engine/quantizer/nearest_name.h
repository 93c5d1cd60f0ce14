// SPDX-License-Identifier: Apache-2.0
// Which known name someone probably meant.
#pragma once

#include <string>
#include <vector>

namespace assay::quantizer {

// "; did you mean 'x'?" for the known name with the fewest edits, "" where none is near (more than a third of the
// letters differ). Ties go to the earlier name.
std::string suggestion(const std::string& name, const std::vector<std::string>& known);

}  // namespace assay::quantizer
