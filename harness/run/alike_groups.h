// SPDX-License-Identifier: Apache-2.0
// Groups of configurations that behave alike, told apart by the values of as few axes as can be found.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "harness/spec/axis.h"

namespace assay::run {

// A configuration and the number by which it is judged, which is finite.
struct Judged {
  spec::Configuration configuration;
  double value = 0;
};

struct AlikeGroup {
  spec::Condition when;              // holds for these of all judged configurations, and for no other
  std::vector<std::size_t> members;  // positions, ascending; at least one
};

// Every configuration is in one group, and the values of a group differ by at most `alike` (unless no axis tells its
// members apart); one group without condition where all are alike. By falling homogeneity of the two parts, as
// regression trees are grown: each split takes the axis, and the parting of its values, that leaves the least variance.
// Groups come by ascending mean.
std::vector<AlikeGroup> alike_groups(const std::vector<Judged>& judged, double alike);

// {"runtime.isa": "avx2", "runtime.precision": ["fast", "exact"]} as it stands in a case, and as people read it.
spec::Json condition_json(const spec::Condition& condition);
std::string condition_text(const spec::Condition& condition);

}  // namespace assay::run
