// SPDX-License-Identifier: Apache-2.0
// The --set flags of one command line, an axis each.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/axis.h"

namespace assay::spec {

// Parses `text` and adds it to the settings before it. Errors: parse_setting's; an axis that is among them already.
Status add_setting(const std::string& text, std::vector<Setting>& settings);

}  // namespace assay::spec
