// SPDX-License-Identifier: Apache-2.0
// JSON text to values in one pass, for texts that are right; json_scanner.h says what is wrong with the others.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "harness/spec/document.h"

namespace assay::spec {

// The value, or nothing where the text breaks a rule of check_syntax (json_scanner.h), or may do so: objects of very
// many keys are left to it.
std::optional<Json> read_plain_json(std::string_view text, std::size_t max_depth);

}  // namespace assay::spec
