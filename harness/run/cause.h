// SPDX-License-Identifier: Apache-2.0
// The cause of a failure, found by changing one thing: where every check holds under another value of one axis, what
// that value avoids is the cause.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/ir/graph.h"
#include "harness/spec/axis.h"

namespace assay::run {

struct Cause {
  std::string name;    // as in a case's "cause"
  std::string change;  // "runtime.precision=exact"
};

// A variant whose checks fail.
struct Failing {
  const spec::Configuration& configuration;
  // The case's own model; null where it cannot be read.
  const Graph* model = nullptr;
  // Whether every check of the variant holds when it runs under another configuration.
  std::function<bool(const spec::Configuration&)> holds_under;
};

// Nothing where no single change makes every check hold.
std::optional<Cause> find_cause(const Failing& failing);

// The cause that was found, where it is another than the declared one; nothing where that is confirmed or no cause is
// found.
std::optional<Cause> find_other_cause(const Failing& failing, const std::string& declared);

}  // namespace assay::run
