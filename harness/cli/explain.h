// SPDX-License-Identifier: Apache-2.0
// What the words of reports and case files mean.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

struct Term {
  std::string kind;  // "outcome", "cause", "metric", "axis", "pass"
  std::string name;
  std::string text;
};

// Outcomes, causes, metrics, axes and passes, in this order.
std::vector<Term> terms();

}  // namespace assay::cli
