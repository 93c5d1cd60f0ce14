// SPDX-License-Identifier: Apache-2.0
// From a case's matrix to its variants.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/spec/case.h"

namespace assay::spec {

inline constexpr std::size_t kMaxVariants = 1'000'000;

struct Variant {
  std::string name;  // "case[axis=value,...]", matrix axes only; just "case" without a matrix
  Configuration configuration;
  std::vector<std::pair<std::string, Json>> matrix;  // the axes in the name, in its order
};

struct ExpandOptions {
  // --set: as if the matrix had this axis with these values (in place of its own, or added behind).
  std::vector<Setting> settings;
};

// Row-major in the file's order of axes: the last axis changes fastest. Variants that an exclude entry matches are
// dropped, then the include entries are added. An axis that cannot matter is left out of a variant, and variants that
// are thereby equal appear once, at the first one's place. An error if there are more than kMaxVariants combinations.
Result<std::vector<Variant>> expand(const Case& test_case, const ExpandOptions& options = {});

// Every axis that applies, with its effective value, in the table's order: what records hold.
std::vector<std::pair<std::string, Json>> effective_values(const Configuration& configuration);

}  // namespace assay::spec
