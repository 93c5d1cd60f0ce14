// SPDX-License-Identifier: Apache-2.0
// Checks a case against the JSON Schema and says what is wrong in the words of the case language.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/spec/document.h"

namespace assay::spec {

inline constexpr std::size_t kMaxErrorsPerFile = 50;

// Every violation as "FILE:LINE:COLUMN: message", at most kMaxErrorsPerFile of them; {} where the document is valid.
std::vector<std::string> check_schema(const std::shared_ptr<const Document>& document);
// The same without the quick acceptance of schema_accept.h.
std::vector<std::string> library_violations(const std::shared_ptr<const Document>& document);

}  // namespace assay::spec
